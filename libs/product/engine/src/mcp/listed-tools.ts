import { isJsonObject, limits, words as say, type JsonObject, type JsonValue } from '@app/kernel';
import type { McpServerSettings, McpToolSettings } from '@app/settings';
import { storableText } from '../models/answer-values';
import { failWith, type CallContext, type FailedReview, type Reviewed, type Tool, type ToolResult } from '../tool';
import { askedWords, namelessCall } from './asked-words';
import type { ListedTool } from './connection';
import { outwardNames } from './outward-names';

const descriptionLengthMax = 1024;
/** Most tools of one server. */
const toolsMax = 32;
const schemaBytesMax = 16 * 1024;

/** Calls a tool of a server by the server's own name for it. */
export type CallTool = (
  tool: string,
  input: JsonObject,
  context: CallContext,
  signal: AbortSignal,
) => Promise<ToolResult>;

export interface OfferedTools {
  readonly tools: readonly Tool[];
  /** The tools that were left out, with the reason, in words for the log. */
  readonly leftOut: readonly string[];
}

/**
 * The tools of a server as the registry has them. A server's statements are text for models and decide nothing, with one exception: if the
 * configuration does not say, a call that was cut off is repeated if the server says that this has no further effect. Consent follows from
 * the configuration alone.
 */
export function offeredTools(
  server: McpServerSettings,
  listed: readonly ListedTool[],
  taken: ReadonlySet<string>,
  call: CallTool,
): OfferedTools {
  const allowed = listed.filter(({ name }) => toolSettingsOf(server, name).consent !== 'off');
  const names = outwardNames(
    server.name,
    allowed.map(({ name }) => name),
    taken,
  );
  const counts = new Map<string, number>();
  for (const { name } of allowed) counts.set(name, (counts.get(name) ?? 0) + 1);
  const tools: Tool[] = [];
  const leftOut: string[] = [];
  for (const tool of allowed) {
    const name = names.get(tool.name) ?? tool.name;
    const schema = schemaOf(tool.inputSchema);
    const why =
      taken.has(name) || (counts.get(tool.name) ?? 0) > 1
        ? 'its name is taken'
        : tool.asTask
          ? 'it runs only as a task'
          : schema === null
            ? 'its schema is too large or is none of an object'
            : tools.length === toolsMax
              ? 'there are too many'
              : null;
    if (why !== null || schema === null) leftOut.push(`${name}: ${why}`);
    else tools.push(toolOf(server, name, tool, schema, call));
  }
  return { tools, leftOut };
}

/** The settings of a tool, from the configuration alone, which uses the server's own names of tools. */
export function toolSettingsOf({ tools, consent, idempotent }: McpServerSettings, ownName: string): McpToolSettings {
  return (Object.hasOwn(tools, ownName) ? tools[ownName] : null) ?? { consent, idempotent, consentSummary: null };
}

/**
 * The settings of a tool by the name that models see, also while its server is away. A mapped name is found only if the configuration lists
 * the tool.
 */
export function settingsOf(server: McpServerSettings, name: string, taken: ReadonlySet<string>): McpToolSettings {
  const [mapped] = [...outwardNames(server.name, Object.keys(server.tools), taken)].find(([, is]) => is === name) ?? [];
  return toolSettingsOf(server, mapped ?? name.slice(server.name.length + 1));
}

function toolOf(
  server: McpServerSettings,
  name: string,
  { name: ownName, description, repeatable }: ListedTool,
  inputSchema: JsonObject,
  call: CallTool,
): Tool {
  const { consent, idempotent, consentSummary } = toolSettingsOf(server, ownName);
  const head = {
    name,
    inputSchema,
    description: withinLength(description, descriptionLengthMax),
    effect: (idempotent ?? repeatable) ? ('repeatable' as const) : ('once' as const),
  };
  const run = async (input: JsonValue, context: CallContext, signal: AbortSignal) =>
    isJsonObject(input) ? call(ownName, input, context, signal) : failWith(noObject);
  if (consent === 'auto') return { ...head, consent: 'auto', run };
  const review = (input: JsonValue): Reviewed | FailedReview => {
    if (!isJsonObject(input)) return { ok: false, error: noObject };
    const words = consentSummary === null ? namelessCall(ownName, server.name) : askedWords(consentSummary, input);
    return { ok: true, walletId: null, contract: null, ...words };
  };
  return {
    ...head,
    consent: 'ask',
    review: (input) => Promise.resolve(review(input)),
    run: ({ input }, context, signal) => run(input, context, signal),
  };
}

const noObject = say`the input must be an object`;

/** Returns a schema of an object within its bounds, or null for anything else. */
function schemaOf(schema: unknown): JsonObject | null {
  if (!isJsonObject(schema) || schema['type'] !== 'object' || depthOf(schema) > limits.jsonDepthMax) return null;
  return Buffer.byteLength(JSON.stringify(schema)) <= schemaBytesMax ? schema : null;
}

/** The nesting depth of a value, followed no deeper than allowed. */
function depthOf(value: unknown, left: number = limits.jsonDepthMax): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (left === 0) return 1;
  return 1 + Math.max(0, ...Object.values(value).map((member) => depthOf(member, left - 1)));
}

/** Returns the text as stores can hold it, cut where it is too long. */
function withinLength(text: string, lengthMax: number): string {
  const cut = text.length <= lengthMax ? text : `${text.slice(0, lengthMax - 1)}…`;
  return storableText(cut);
}
