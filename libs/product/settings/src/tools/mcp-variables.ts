import { Rule, wrongInCalledUrl } from '@app/runtime';
import { makeValidator } from 'envalid';
import { fittingJson } from '../fitting-json';
import { parseConsentTemplate, templateBounds, type ConsentTemplate } from './consent-template';

/** Whether a tool may be called without asking, only with the user's approval, or not at all. */
export type McpConsent = 'auto' | 'ask' | 'off';

/** The client credentials grant of OAuth 2.1: the service's own account with the issuer, with exactly one kind of secret. */
export interface McpClientCredentials {
  /** The only authorization server that receives the credentials, whatever the MCP server names. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret?: string;
  /** Read at each start of a connection. */
  readonly clientSecretFile?: string;
  /** PKCS #8 in PEM, for `private_key_jwt`. */
  readonly privateKeyFile?: string;
  /** The private key's algorithm; ES256 when absent. */
  readonly algorithm?: string;
  readonly scope?: string;
}

/** The connection to a server: over HTTP, or to a child process by its standard input and output. */
export type McpTransport =
  | {
      readonly type: 'http';
      readonly url: string;
      readonly headers?: Readonly<Record<string, string>>;
      /** Holds a bearer token; read for every request, so that it can be rotated by rewriting the file. */
      readonly tokenFile?: string;
      readonly clientCredentials?: McpClientCredentials;
    }
  | {
      readonly type: 'stdio';
      readonly command: string;
      readonly args?: readonly string[];
      /** Everything that it receives in addition to the usual HOME, PATH and so on, because the service's own variables hold secrets. */
      readonly env?: Readonly<Record<string, string>>;
    };

/** The operator's settings of a tool. */
export interface McpToolSettings {
  readonly consent: McpConsent;
  /** Whether repeated calls with one `parley/toolCallId` have a single effect; null to use the server's own declaration. */
  readonly idempotent: boolean | null;
  /** The consent text; null for a generic text. */
  readonly consentSummary: ConsentTemplate | null;
}

/** An MCP server of the deployment; its tools are named `<name>_<tool>`. */
export interface McpServerSettings {
  readonly name: string;
  readonly transport: McpTransport;
  /** Applies to every tool that `tools` does not name, as does `idempotent`. */
  readonly consent: McpConsent;
  readonly idempotent: boolean | null;
  readonly tools: Readonly<Record<string, McpToolSettings>>;
  /** How long a call may take. */
  readonly timeoutMs: number;
  /** Time limit for the server to start and list its tools. */
  readonly startTimeoutMs: number;
  readonly resultBytesMax: number;
}

interface GivenTool {
  readonly consent: McpConsent;
  readonly idempotent?: boolean;
  readonly consentSummary?: string;
}

type GivenServer = Pick<McpServerSettings, 'name' | 'transport' | 'consent'> &
  Partial<Omit<McpServerSettings, 'tools'>> & {
    /** A list allows only these tools. */
    readonly tools?: Readonly<Record<string, McpConsent | GivenTool>> | readonly string[];
  };

const defaults = { timeoutMs: 30_000, startTimeoutMs: 60_000, resultBytesMax: 64 * 1024 };
const serversMax = 16;

const consent = { enum: ['auto', 'ask', 'off'] };
const idempotent = { type: 'boolean' };
const text = { type: 'string', maxLength: 8192 };
const word = { ...text, minLength: 1 };
const url = { type: 'string', pattern: '^https?://[^\\s@]+$', maxLength: 2048 };
const clientCredentials = {
  type: 'object',
  properties: {
    issuer: url,
    clientId: word,
    clientSecret: word,
    clientSecretFile: word,
    privateKeyFile: word,
    algorithm: { enum: ['ES256', 'ES384', 'ES512', 'PS256', 'PS384', 'PS512', 'RS256', 'RS384', 'RS512'] },
    scope: word,
  },
  required: ['issuer', 'clientId'],
  oneOf: [{ required: ['clientSecret'] }, { required: ['clientSecretFile'] }, { required: ['privateKeyFile'] }],
  dependentRequired: { algorithm: ['privateKeyFile'] },
  additionalProperties: false,
};
const tool = {
  type: ['string', 'object'],
  if: { type: 'string' },
  then: consent,
  else: {
    properties: { consent, idempotent, consentSummary: { type: 'string' } },
    required: ['consent'],
    additionalProperties: false,
    // No other tool asks for consent.
    if: { required: ['consentSummary'] },
    then: { properties: { consent: { const: 'ask' } } },
  },
};
const http = {
  properties: {
    type: { const: 'http' },
    url,
    headers: {
      type: 'object',
      maxProperties: 64,
      // Headers of this name are the service's own.
      propertyNames: { pattern: '^(?![Pp][Aa][Rr][Ll][Ee][Yy]-)[A-Za-z0-9_-]{1,128}$' },
      additionalProperties: { type: 'string', pattern: '^[\\x20-\\x7e]{0,4096}$' },
    },
    tokenFile: word,
    clientCredentials,
  },
  required: ['type', 'url'],
  not: { required: ['tokenFile', 'clientCredentials'] },
  additionalProperties: false,
};
const stdio = {
  properties: {
    type: { const: 'stdio' },
    command: word,
    args: { type: 'array', maxItems: 64, items: text },
    env: { type: 'object', maxProperties: 64, additionalProperties: text },
  },
  required: ['type', 'command'],
  additionalProperties: false,
};
const time = { type: 'integer', minimum: 100, maximum: 600_000 };
const serversSchema = {
  type: 'array',
  maxItems: serversMax,
  items: {
    type: 'object',
    properties: {
      name: { type: 'string', pattern: '^[a-z0-9]{1,20}$' },
      transport: {
        type: 'object',
        properties: { type: { enum: ['http', 'stdio'] } },
        required: ['type'],
        if: { properties: { type: { const: 'http' } } },
        then: http,
        else: stdio,
      },
      consent,
      tools: {
        anyOf: [
          { type: 'object', maxProperties: 256, additionalProperties: tool },
          { type: 'array', maxItems: 256, items: word },
        ],
      },
      idempotent,
      timeoutMs: time,
      startTimeoutMs: time,
      resultBytesMax: { type: 'integer', minimum: 1024, maximum: 256 * 1024 },
    },
    required: ['name', 'transport', 'consent'],
    additionalProperties: false,
  },
};

const mcpServers = makeValidator<readonly McpServerSettings[]>((json) => {
  const servers = fittingJson<GivenServer[]>(json, serversSchema, 'must be a JSON list of MCP servers');
  if (new Set(servers.map(({ name }) => name)).size < servers.length) throw new Rule('must name each server once');
  for (const server of servers) refuseWrongUrls(server);
  return servers.map((server) => ({ ...defaults, ...server, ...toolSettings(server) }));
});

/** The URLs of an MCP server over HTTP, and of the issuer of tokens for it. */
export function serverUrls({ transport }: Pick<McpServerSettings, 'transport'>): readonly string[] {
  if (transport.type !== 'http') return [];
  const { url, clientCredentials } = transport;
  return clientCredentials === undefined ? [url] : [url, clientCredentials.issuer];
}

/** @throws Rule for a URL that cannot be called */
function refuseWrongUrls(server: GivenServer): void {
  const wrong = serverUrls(server)
    .map(wrongInCalledUrl)
    .find((words) => words !== null);
  if (wrong !== undefined) throw new Rule(`each url ${wrong}: not so at the server ${server.name}`);
}

/** A list of names allows these with the server's consent, and turns every other tool off. */
function toolSettings(server: GivenServer): Pick<McpServerSettings, 'consent' | 'idempotent' | 'tools'> {
  const { name: serverName, consent, idempotent = null, tools = {} } = server;
  const given = isNames(tools) ? tools.map((name) => [name, consent] as const) : Object.entries(tools);
  const settings = given.map(([name, tool]) => {
    const { consentSummary, ...own } = typeof tool === 'string' ? { consent: tool } : tool;
    return [name, { idempotent, ...own, consentSummary: templateOf(consentSummary, serverName) }] as const;
  });
  return { consent: isNames(tools) ? 'off' : consent, idempotent, tools: Object.fromEntries(settings) };
}

function templateOf(text: string | undefined, server: string): ConsentTemplate | null {
  const template = text === undefined ? null : parseConsentTemplate(text);
  if (text === undefined || template !== null) return template;
  const { lengthMax, pointersMax } = templateBounds;
  throw new Rule(
    `must give each consentSummary as one line of ${lengthMax} characters at most, without quotation marks, with ${pointersMax} JSON ` +
      `pointers at most in braces, such as {/orderId}: not so at the server ${server}`,
  );
}

function isNames(tools: NonNullable<GivenServer['tools']>): tools is readonly string[] {
  return Array.isArray(tools);
}

/** The environment variables of MCP servers. */
export const mcpVariables = {
  MCP_SERVERS: mcpServers({
    default: [],
    desc:
      'Secret, a list in JSON of MCP servers whose tools agents may use: {"name", "transport": {"type": "http", "url", "headers", ' +
      '"tokenFile" or "clientCredentials": {"issuer", "clientId", "clientSecret", "clientSecretFile" or "privateKeyFile" with ' +
      '"algorithm", "scope"}} or {"type": "stdio", "command", "args", "env"}, "consent": "auto", "ask" or "off", ' +
      '"idempotent": true where it does nothing twice for one parley/toolCallId, "tools": {"tool": consent or {"consent", ' +
      '"idempotent", "consentSummary": "Cancel order {/orderId}"}} or a list of the only ones allowed, "timeoutMs": 30000, ' +
      '"startTimeoutMs": 60000, "resultBytesMax": 65536}; name, transport and consent are needed (docs/mcp.md)',
  }),
};
