import { isJsonObject } from '@app/kernel';
import { jsonSchema, tool, type ModelMessage, type SystemModelMessage, type ToolSet } from 'ai';
import type { ModelRequest, ToolOffer } from '../model';
import { messagesOf } from './messages.adapter';
import type { SparePart } from './provider';
import { filesText, standingText } from './system-text';
import type { ToolNames } from './tool-names';

type Schema = Parameters<typeof jsonSchema>[0] & object;

/** A mark up to which Anthropic's cache keeps a prompt, for five minutes from its last use. It takes four in a request. */
const mark = { anthropic: { cacheControl: { type: 'ephemeral' } } } as const;

/** What all requests to a provider have in common. */
interface QuestionForm {
  /** Whether its cache wants marks, and takes the system message in parts. */
  readonly marked: boolean;
}

interface Question {
  readonly system: string | SystemModelMessage[];
  readonly messages: ModelMessage[];
  readonly tools?: ToolSet;
}

/**
 * A request as the SDK takes it. Tools come first, in an order of their own, then what stands, then files, then the conversation: what
 * changes least comes first, so that the prompt of a step begins with that of the step before, byte for byte, and caches hit.
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

/** By name: profiles and servers list them in any order. */
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

/** Some servers want `properties` even where there are none. */
function describeInWords({ name, description, inputSchema }: ToolOffer): ToolOffer {
  const words = `${description}\nIts input is an object of this JSON Schema: ${JSON.stringify(inputSchema)}`;
  return { name, description: words, inputSchema: { type: 'object', properties: {} } };
}

function systemParts(request: ModelRequest, isMarked: boolean): SystemModelMessage[] {
  const standing = { role: 'system', content: standingText(request) } as const;
  const files = filesText(request).map((content) => ({ role: 'system', content }) as const);
  return [isMarked ? { ...standing, providerOptions: mark } : standing, ...files];
}

/** The end of this prompt, which the next step looks for, and that of the one before: the last words that are not the model's own. */
function markMessages(messages: readonly ModelMessage[]): ModelMessage[] {
  const ends = messages.flatMap(({ role }, at) => (role === 'assistant' ? [] : [at])).slice(-2);
  return messages.map((message, at) => (ends.includes(at) ? { ...message, providerOptions: mark } : message));
}

/** Formats take objects only. */
export function canFormat({ outputSchema }: ModelRequest): boolean {
  return isJsonObject(outputSchema) && outputSchema['type'] === 'object';
}
