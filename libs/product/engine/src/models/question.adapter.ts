import { isJsonObject } from '@app/kernel';
import { jsonSchema, tool, type ModelMessage, type SystemModelMessage, type ToolSet } from 'ai';
import type { ModelRequest, ToolOffer } from './model';
import { messagesOf } from './messages.adapter';
import type { SparePart } from './provider';
import { filesText, standingText } from './system-text';
import type { ToolNames } from './tool-names';

type Schema = Parameters<typeof jsonSchema>[0] & object;

/** A mark up to which Anthropic's cache keeps a prompt, for five minutes from its last use. A request may have four. */
const mark = { anthropic: { cacheControl: { type: 'ephemeral' } } } as const;

/** Properties that all requests to a provider share. */
interface QuestionForm {
  /** Whether its cache needs marks, and the system message is sent in parts. */
  readonly marked: boolean;
}

interface Question {
  readonly system: string | SystemModelMessage[];
  readonly messages: ModelMessage[];
  readonly tools?: ToolSet;
}

/**
 * A request as the SDK takes it. Tools are first, sorted by name, then the fixed text, then files, then the conversation: the least
 * changing parts first, so that the prompt of a step begins with that of the step before, byte for byte, and caches hit.
 */
export function questionOf(
  request: ModelRequest,
  names: ToolNames,
  { marked }: QuestionForm,
  without: ReadonlySet<SparePart>,
): Question {
  const isMarked = marked && !without.has('cache_marks');
  const tools = toolsOf(request.tools, names, { isMarked, withSchemas: !without.has('tool_schemas') });
  const messages = messagesOf(request, names);
  const question = {
    system: marked ? systemParts(request, isMarked) : [standingText(request), ...filesText(request)].join('\n\n'),
    messages: isMarked ? markMessages(messages) : messages,
  };
  return request.tools.length === 0 ? question : { ...question, tools };
}

/** Sorted by name, because profiles and servers list them in any order. */
function toolsOf(
  offers: readonly ToolOffer[],
  names: ToolNames,
  { isMarked, withSchemas }: { readonly isMarked: boolean; readonly withSchemas: boolean },
): ToolSet {
  const sorted = offers.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const last = sorted.at(-1);
  return Object.fromEntries(
    sorted.map((offer) => {
      const { description, inputSchema } = withSchemas ? offer : describeInWords(offer);
      // Reason for the assertion: tools are registered with a JSON Schema of an object.
      const declared = { description, inputSchema: jsonSchema(inputSchema as Schema) };
      return [
        names.outward(offer.name),
        tool(isMarked && offer === last ? { ...declared, providerOptions: mark } : declared),
      ];
    }),
  );
}

/** Some servers require `properties` even if there are none. */
function describeInWords({ name, description, inputSchema }: ToolOffer): ToolOffer {
  const words = `${description}\nIts input is an object of this JSON Schema: ${JSON.stringify(inputSchema)}`;
  return { name, description: words, inputSchema: { type: 'object', properties: {} } };
}

function systemParts(request: ModelRequest, isMarked: boolean): SystemModelMessage[] {
  const standing = { role: 'system', content: standingText(request) } as const;
  const files = filesText(request).map((content) => ({ role: 'system', content }) as const);
  return [isMarked ? { ...standing, providerOptions: mark } : standing, ...files];
}

/**
 * Marks the end of this prompt, for which the next step checks the cache, and that of the one before: the last two messages that are not
 * the model's own.
 */
function markMessages(messages: readonly ModelMessage[]): ModelMessage[] {
  const ends = messages.flatMap(({ role }, at) => (role === 'assistant' ? [] : [at])).slice(-2);
  return messages.map((message, at) => (ends.includes(at) ? { ...message, providerOptions: mark } : message));
}

/** Whether the answer's schema can be sent as a format, which providers accept for objects only. */
export function canFormat({ outputSchema }: ModelRequest): boolean {
  return isJsonObject(outputSchema) && outputSchema['type'] === 'object';
}
