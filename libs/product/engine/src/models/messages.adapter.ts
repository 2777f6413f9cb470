import type { AssistantModelMessage, ModelMessage, ToolModelMessage } from 'ai';
import { isJsonObject, type JsonValue } from '@app/kernel';
import { faultInOutput } from '@app/runs';
import type { ModelRequest, ToolExchange, Turn, TurnStep } from './model';
import type { ToolNames } from './tool-names';

/** Replaces the answer of a turn that got none: it was aborted, it failed, or the model's answer was empty. */
const noAnswer = '(No answer was given: the run ended before.)';
/** Precedes the facts of operations. */
const replacedHere =
  'The user has replaced earlier messages here, which are not shown. Money that moved in them stays moved. Its operations, as data, one a line:';
const betweenTexts = '\n\n';
const faultLengthMax = 1000;

type AssistantPart = Exclude<AssistantModelMessage['content'], string>[number];
/** A message in the one shape that this file writes. */
type Said =
  | { readonly role: 'user'; readonly content: string }
  | { readonly role: 'assistant'; readonly content: AssistantPart[] }
  | ToolModelMessage;

/**
 * The turns of a request as messages: every call with its result, or neither. If no tools are offered, providers accept no calls either:
 * calls and their results are then given as data. User and assistant always alternate, because the templates of many models refuse anything
 * else (docs/decisions/runs.md, "Models as they are").
 */
export function messagesOf(request: ModelRequest, names: ToolNames): ModelMessage[] {
  let calls = 0;
  const nextId = () => `call_${++calls}`;
  const stepMessages =
    request.tools.length > 0
      ? (step: TurnStep) => exchangeMessages(step, names, nextId)
      : (step: TurnStep) => dataMessages(step);
  const earlier = request.history.flatMap((turn) => answerEveryCall(turnMessages(turn, stepMessages)));
  const messages = [...earlier, ...turnMessages(request.turn, stepMessages)];
  if (!request.repairing) return mergeNeighbours(messages);
  const answer = request.turn.steps.at(-1)?.text ?? '';
  return mergeNeighbours([...messages, { role: 'user', content: repairText(answer, request.outputSchema) }]);
}

/** The request to repair an answer; names the fault of the last one. */
function repairText(answer: string, outputSchema: JsonValue): string {
  return [
    `Your last answer does not satisfy the JSON Schema of the answer: ${faultInOutput(answer, outputSchema).slice(0, faultLengthMax)}.`,
    'Answer again with nothing but one JSON value that satisfies it.',
  ].join(' ');
}

function turnMessages(
  { facts = [], input, steps, unheard = [] }: Turn,
  stepMessages: (step: TurnStep) => Said[],
): Said[] {
  const answered = steps.flatMap((step) => [...(step.heard ?? []).map(userMessage), ...stepMessages(step)]);
  const before = facts.length === 0 ? [] : [userMessage([replacedHere, ...facts].join('\n'))];
  return [...before, userMessage(input), ...answered, ...unheard.map(userMessage)];
}

function userMessage(text: string): Said {
  return { role: 'user', content: visibleText(text) };
}

/** Ends a finished turn with words of the assistant. */
function answerEveryCall(turn: Said[]): Said[] {
  return turn.at(-1)?.role === 'assistant' ? turn : [...turn, assistantMessage(noAnswer)];
}

/** Merges neighbours of one role into one message. */
function mergeNeighbours(messages: readonly Said[]): Said[] {
  const merged: Said[] = [];
  for (const message of messages) {
    const last = merged.at(-1);
    const both = last === undefined ? null : merge(last, message);
    if (both === null) merged.push(message);
    else merged.splice(-1, 1, both);
  }
  return merged;
}

/** Null if the two have different roles. */
function merge(one: Said, other: Said): Said | null {
  if (one.role === 'user' && other.role === 'user') {
    return { role: 'user', content: one.content + betweenTexts + other.content };
  }
  if (one.role !== 'assistant' || other.role !== 'assistant') return null;
  const [first, ...rest] = other.content;
  if (first?.type !== 'text') return { role: 'assistant', content: [...one.content, ...other.content] };
  return { role: 'assistant', content: [...one.content, { type: 'text', text: betweenTexts + first.text }, ...rest] };
}

function assistantMessage(text: string): Said {
  return { role: 'assistant', content: [{ type: 'text', text }] };
}

function exchangeMessages({ text, exchanges }: TurnStep, names: ToolNames, nextId: () => string): Said[] {
  const content: AssistantPart[] = [];
  const results: ToolModelMessage['content'] = [];
  if (!isBlank(text)) content.push({ type: 'text', text });
  for (const exchange of exchanges) {
    const toolName = names.outward(exchange.tool);
    const toolCallId = nextId();
    content.push({ type: 'tool-call', toolCallId, toolName, input: objectOf(exchange.input) });
    results.push({ type: 'tool-result', toolCallId, toolName, output: outputOf(exchange) });
  }
  if (content.length === 0) return [];
  const said: Said = { role: 'assistant', content };
  return results.length === 0 ? [said] : [said, { role: 'tool', content: results }];
}

function dataMessages({ text, exchanges }: TurnStep): Said[] {
  const said: Said[] = isBlank(text) ? [] : [assistantMessage(text)];
  if (exchanges.length === 0) return said;
  const told = exchanges.map(({ tool, input, outcome, result }) => JSON.stringify({ tool, input, outcome, result }));
  return [...said, { role: 'user', content: ['Calls that you made, as data:', ...told].join('\n') }];
}

function outputOf({
  outcome,
  result,
}: ToolExchange): ToolModelMessage['content'][number] extends infer Part
  ? Part extends { type: 'tool-result'; output: infer Output }
    ? Output
    : never
  : never {
  return outcome === 'ok'
    ? { type: 'text', value: JSON.stringify(result) }
    : { type: 'error-text', value: JSON.stringify({ outcome, result }) };
}

/** Providers accept objects only; a model may have written something else. */
function objectOf(input: JsonValue): unknown {
  return isJsonObject(input) ? input : { notAnObject: input };
}

/** Providers refuse messages without a visible character. */
function visibleText(text: string): string {
  return isBlank(text) ? '(nothing but space)' : text;
}

function isBlank(text: string | null): text is null {
  return text === null || text.trim() === '';
}
