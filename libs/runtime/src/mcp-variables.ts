import { Ajv2020 } from 'ajv/dist/2020';
import { makeValidator } from 'envalid';
import { Rule } from './variable-rules';

/** Whether a tool may be called as it is, or only with the user's approval. */
export type McpConsent = 'auto' | 'ask';

/** How a server is reached: over HTTP, or as a child process by its standard input and output. */
export type McpTransport =
  | { readonly type: 'http'; readonly url: string; readonly headers?: Readonly<Record<string, string>> }
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
  readonly timeoutMs: number;
  readonly resultBytesMax: number;
}

type GivenServer = Pick<McpServerSettings, 'name' | 'transport' | 'consent'> & Partial<McpServerSettings>;

const defaults = { tools: {}, timeoutMs: 30_000, resultBytesMax: 64 * 1024 };
const serversMax = 16;

const consent = { enum: ['auto', 'ask'] };
const text = { type: 'string', maxLength: 8192 };
const http = {
  properties: {
    type: { const: 'http' },
    url: { type: 'string', pattern: '^https?://[^\\s@]+$', maxLength: 2048 },
    headers: {
      type: 'object',
      maxProperties: 64,
      propertyNames: { pattern: '^[A-Za-z0-9_-]{1,128}$' },
      additionalProperties: { type: 'string', pattern: '^[\\x20-\\x7e]{0,4096}$' },
    },
  },
  required: ['type', 'url'],
  additionalProperties: false,
};
const stdio = {
  properties: {
    type: { const: 'stdio' },
    command: { ...text, minLength: 1 },
    args: { type: 'array', maxItems: 64, items: text },
    env: { type: 'object', maxProperties: 64, additionalProperties: text },
  },
  required: ['type', 'command'],
  additionalProperties: false,
};
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
      tools: { type: 'object', maxProperties: 256, additionalProperties: consent },
      timeoutMs: { type: 'integer', minimum: 100, maximum: 600_000 },
      resultBytesMax: { type: 'integer', minimum: 1024, maximum: 256 * 1024 },
    },
    required: ['name', 'transport', 'consent'],
    additionalProperties: false,
  },
};

const mcpServers = makeValidator<readonly McpServerSettings[]>((json) => {
  const servers = parsed(json);
  const isValid = new Ajv2020({ strict: false }).compile<GivenServer[]>(serversSchema);
  if (!isValid(servers)) {
    // Ajv's messages name rules and never values, which may be secrets.
    const { instancePath = '', message = '' } = isValid.errors?.[0] ?? {};
    throw new Rule(`must be a JSON list of MCP servers: ${instancePath.slice(0, 100)} ${message}`);
  }
  if (new Set(servers.map(({ name }) => name)).size < servers.length) throw new Rule('must name each server once');
  return servers.map((server) => ({ ...defaults, ...server }));
});

/** The environment variables of MCP servers. */
export const mcpVariables = {
  MCP_SERVERS: mcpServers({
    default: [],
    desc:
      'Secret, a list in JSON of MCP servers whose tools agents may use: {"name", "transport": {"type": "http", "url", "headers"} or ' +
      '{"type": "stdio", "command", "args", "env"}, "consent": "auto" or "ask", "tools": {"tool": consent}, "timeoutMs": 30000, ' +
      '"resultBytesMax": 65536}; the first three are needed',
  }),
};

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    // No JSON is no list, which the caller says.
    return null;
  }
}
