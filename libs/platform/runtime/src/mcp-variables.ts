import { Ajv2020 } from 'ajv/dist/2020';
import { makeValidator } from 'envalid';
import { Rule } from './variable-rules';

/** Whether a tool may be called as it is, only with the user's approval, or not at all. */
export type McpConsent = 'auto' | 'ask' | 'off';

/** The client credentials grant of OAuth 2.1: the service's own account with the issuer, by exactly one kind of secret. */
export interface McpClientCredentials {
  /** The only authorization server that gets the credentials, whatever the MCP server names. */
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

/** How a server is reached: over HTTP, or as a child process by its standard input and output. */
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
      /** All that it gets besides the usual HOME, PATH and so on: the service's own variables hold secrets. */
      readonly env?: Readonly<Record<string, string>>;
    };

/** An MCP server of the deployment; its tools are named `<name>_<tool>`. */
export interface McpServerSettings {
  readonly name: string;
  readonly transport: McpTransport;
  /** For every tool that `tools` does not name. */
  readonly consent: McpConsent;
  readonly tools: Readonly<Record<string, McpConsent>>;
  /** How long a call may take. */
  readonly timeoutMs: number;
  /** Until the server has started and told its tools. */
  readonly startTimeoutMs: number;
  readonly resultBytesMax: number;
}

type GivenServer = Pick<McpServerSettings, 'name' | 'transport' | 'consent'> &
  Partial<Omit<McpServerSettings, 'tools'>> & {
    /** A list: these, and no others. */
    readonly tools?: McpServerSettings['tools'] | readonly string[];
  };

const defaults = { timeoutMs: 30_000, startTimeoutMs: 60_000, resultBytesMax: 64 * 1024 };
const serversMax = 16;

const consent = { enum: ['auto', 'ask', 'off'] };
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
const http = {
  properties: {
    type: { const: 'http' },
    url,
    headers: {
      type: 'object',
      maxProperties: 64,
      propertyNames: { pattern: '^[A-Za-z0-9_-]{1,128}$' },
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
          { type: 'object', maxProperties: 256, additionalProperties: consent },
          { type: 'array', maxItems: 256, items: word },
        ],
      },
      timeoutMs: time,
      startTimeoutMs: time,
      resultBytesMax: { type: 'integer', minimum: 1024, maximum: 256 * 1024 },
    },
    required: ['name', 'transport', 'consent'],
    additionalProperties: false,
  },
};

const mcpServers = makeValidator<readonly McpServerSettings[]>((json) => {
  const servers = parseJson(json);
  const isValid = new Ajv2020({ strict: false }).compile<GivenServer[]>(serversSchema);
  if (!isValid(servers)) {
    // Ajv's messages name rules and never values, which may be secrets.
    const { instancePath = '', message = '' } = isValid.errors?.[0] ?? {};
    throw new Rule(`must be a JSON list of MCP servers: ${instancePath.slice(0, 100)} ${message}`);
  }
  if (new Set(servers.map(({ name }) => name)).size < servers.length) throw new Rule('must name each server once');
  return servers.map((server) => ({ ...defaults, ...server, ...consents(server) }));
});

/** A list of names allows these with the server's consent, and turns every other tool off. */
function consents({ consent, tools = {} }: GivenServer): Pick<McpServerSettings, 'consent' | 'tools'> {
  if (!isNames(tools)) return { consent, tools };
  return { consent: 'off', tools: Object.fromEntries(tools.map((name) => [name, consent])) };
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
      '"tools": {"tool": consent} or a list of the only ones allowed, "timeoutMs": 30000, "startTimeoutMs": 60000, ' +
      '"resultBytesMax": 65536}; the first three are needed',
  }),
};

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    // Invalid JSON is reported by the caller, as not being a list.
    return null;
  }
}
