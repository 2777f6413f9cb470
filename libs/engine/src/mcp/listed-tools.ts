import { isJsonObject, limits, type JsonObject, type JsonValue } from '@app/kernel';
import type { McpServerSettings } from '@app/runtime';
import { storableText } from '../models/answer-values';
import { failed, type Tool, type ToolResult } from '../tool';
import type { ListedTool } from './connection';

const descriptionLengthMax = 1024;
/** Of one server. */
const toolsMax = 32;
const schemaBytesMax = 16 * 1024;
const namePattern = /^[A-Za-z0-9_-]{1,64}$/;

/** Calls a tool of a server by the server's own name for it. */
export type CallTool = (tool: string, input: JsonObject, signal: AbortSignal) => Promise<ToolResult>;

export interface OfferedTools {
  readonly tools: readonly Tool[];
  /** What was left out, and why, in words for the log. */
  readonly leftOut: readonly string[];
}

/**
 * The tools of a server as the registry has them. Whatever it says of them is text for models and decides nothing, with one exception:
 * a call that was cut off is made again only where the server says that this does nothing more. Consent follows from the
 * configuration alone.
 */
export function offeredTools(
  server: McpServerSettings,
  listed: readonly ListedTool[],
  taken: ReadonlySet<string>,
  call: CallTool,
): OfferedTools {
  const named = (tool: ListedTool) => `${server.name}_${tool.name}`;
  const counts = new Map<string, number>();
  for (const { name } of listed) counts.set(name, (counts.get(name) ?? 0) + 1);
  const tools: Tool[] = [];
  const leftOut: string[] = [];
  for (const tool of listed) {
    const name = named(tool);
    const schema = schemaOf(tool.inputSchema);
    const why = !namePattern.test(name)
      ? 'its name is too long or has other characters than letters, digits, _ and -'
      : taken.has(name) || (counts.get(tool.name) ?? 0) > 1
        ? 'its name is taken'
        : schema === null
          ? 'its schema is too large or is none of an object'
          : tools.length === toolsMax
            ? 'there are too many'
            : null;
    if (why !== null || schema === null) leftOut.push(`${name.slice(0, 64)}: ${why}`);
    else tools.push(toolOf(server, name, tool, schema, call));
  }
  return { tools, leftOut };
}

function toolOf(
  server: McpServerSettings,
  name: string,
  { name: ownName, description, repeatable }: ListedTool,
  inputSchema: JsonObject,
  call: CallTool,
): Tool {
  const consent = Object.hasOwn(server.tools, ownName) ? server.tools[ownName] : server.consent;
  const head = {
    ...{ name, inputSchema, description: withinLength(description, descriptionLengthMax) },
    effect: repeatable ? ('repeatable' as const) : ('once' as const),
  };
  const run = async (input: JsonValue, signal: AbortSignal) =>
    isJsonObject(input) ? call(ownName, input, signal) : failed(noObject);
  if (consent === 'auto') return { ...head, consent, run: (input, _, signal) => run(input, signal) };
  const summary = `Call ${ownName} of ${server.name} with the input shown.`;
  return {
    ...head,
    consent: 'ask',
    review: (input) =>
      Promise.resolve(
        isJsonObject(input)
          ? { ok: true, walletId: null, contract: null, summary, terms: [] }
          : { ok: false, error: noObject },
      ),
    run: ({ input }, _, signal) => run(input, signal),
  };
}

const noObject = 'the input must be an object';

/** A schema of an object, within its bounds; null for anything else. */
function schemaOf(schema: unknown): JsonObject | null {
  if (!isJsonObject(schema) || schema['type'] !== 'object' || depthOf(schema) > limits.jsonDepthMax) return null;
  return Buffer.byteLength(JSON.stringify(schema)) <= schemaBytesMax ? schema : null;
}

/** How deep a value is nested, looked at no deeper than it may be. */
function depthOf(value: unknown, left: number = limits.jsonDepthMax): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (left === 0) return 1;
  return 1 + Math.max(0, ...Object.values(value).map((member) => depthOf(member, left - 1)));
}

/** The text as stores can hold it, cut where it is too long. */
function withinLength(text: string, lengthMax: number): string {
  const cut = text.length <= lengthMax ? text : `${text.slice(0, lengthMax - 1)}…`;
  return storableText(cut);
}
