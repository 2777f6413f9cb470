import type { JsonValue } from '@app/kernel';
import { textWithin } from '../models/answer-values';
import type { ModelReply, ModelRequest, TurnStep } from '../models/model';

/** Most bytes of one attribute. */
const attributeBytesMax = 32 * 1024;
/** Most bytes of one text in it; halved while its message does not fit, down to the least. */
const textBytesMax = 8 * 1024;
const textBytesLeast = 64;
const more = '…';

type Part =
  | { readonly type: 'text' | 'reasoning'; readonly content: string }
  | { readonly type: 'tool_call'; readonly id: string | null; readonly name: string; readonly arguments: JsonValue }
  | { readonly type: 'tool_call_response'; readonly id: string; readonly response: JsonValue };

/** A message as the conventions' schemas of `gen_ai.input.messages` and `gen_ai.output.messages` define it. */
interface Message {
  readonly role: 'user' | 'assistant' | 'tool';
  readonly parts: readonly Part[];
  readonly finish_reason?: string;
}

/** Returns what a model is asked, as `gen_ai.input.messages`: the newest messages that fit, oldest first; long texts are cut. */
export function inputMessages({ history, turn }: ModelRequest): string {
  return boundedMessages(
    [...history, turn].flatMap(({ facts = [], input, steps, unheard = [] }): Message[] => [
      ...facts.map(userMessage),
      userMessage(input),
      ...steps.flatMap(stepMessages),
      ...unheard.map(userMessage),
    ]),
  );
}

/** Returns what a model answered, as `gen_ai.output.messages`. @param finishReason null for an answer that the caller stopped */
export function outputMessages({ reasoning, text, calls }: ModelReply, finishReason: string | null): string {
  const parts: Part[] = [
    ...(reasoning === null ? [] : [{ type: 'reasoning', content: reasoning.text } as const]),
    ...textPart(text),
    ...calls.map(({ tool, input }) => ({ type: 'tool_call', id: null, name: tool, arguments: input }) as const),
  ];
  return boundedMessages([{ role: 'assistant', parts, finish_reason: finishReason ?? 'aborted' }]);
}

/** Returns JSON for an attribute; that of a larger value is the beginning of its JSON, as a text. */
export function boundedJson(value: JsonValue): string {
  const json = JSON.stringify(value);
  return Buffer.byteLength(json) <= attributeBytesMax ? json : JSON.stringify(cutText(json, attributeBytesMax - 2));
}

function userMessage(text: string): Message {
  return { role: 'user', parts: textPart(text) };
}

function textPart(text: string | null): Part[] {
  return text === null ? [] : [{ type: 'text', content: text }];
}

function stepMessages({ heard = [], text, exchanges }: TurnStep): Message[] {
  const calls = exchanges.map(({ toolCallId: id, tool: name, input }) => {
    return { type: 'tool_call', id, name, arguments: input } as const;
  });
  const returned = exchanges.map(({ toolCallId: id, result }) => {
    return { type: 'tool_call_response', id, response: result } as const;
  });
  const asked: Message = { role: 'assistant', parts: [...textPart(text), ...calls] };
  const answered: Message[] = [...heard.map(userMessage), asked];
  return returned.length === 0 ? answered : [...answered, { role: 'tool', parts: returned }];
}

function boundedMessages(messages: readonly Message[]): string {
  const kept: string[] = [];
  let left = attributeBytesMax - 2;
  for (const message of messages.toReversed()) {
    const json = fittingJson(message, left);
    if (json === null) break;
    kept.unshift(json);
    left -= Buffer.byteLength(json) + 1;
  }
  return `[${kept.join(',')}]`;
}

/** Null if the message does not fit even with its texts cut to the least. */
function fittingJson(message: Message, bytesMax: number): string | null {
  for (let textMax = textBytesMax; textMax >= textBytesLeast; textMax /= 2) {
    const json = JSON.stringify({ ...message, parts: message.parts.map((part) => cutPart(part, textMax)) });
    if (Buffer.byteLength(json) <= bytesMax) return json;
  }
  return null;
}

function cutPart(part: Part, bytesMax: number): Part {
  switch (part.type) {
    case 'tool_call':
      return { ...part, arguments: cutValue(part.arguments, bytesMax) };
    case 'tool_call_response':
      return { ...part, response: cutValue(part.response, bytesMax) };
    case 'text':
    case 'reasoning':
      return { ...part, content: cutText(part.content, bytesMax) };
  }
}

function cutValue(value: JsonValue, bytesMax: number): JsonValue {
  const json = JSON.stringify(value);
  return Buffer.byteLength(json) <= bytesMax ? value : cutText(json, bytesMax);
}

function cutText(text: string, bytesMax: number): string {
  const beginning = textWithin(text, bytesMax);
  return beginning === text ? text : textWithin(text, bytesMax - Buffer.byteLength(more)) + more;
}
