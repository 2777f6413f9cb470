import type { AssistantModelMessage, ModelMessage, ToolModelMessage } from 'ai';
import { isJsonObject, type JsonValue } from '@app/kernel';
import type { ModelRequest, ToolExchange, Turn, TurnStep } from '../model';
import { repairText } from './repair-text';
import type { ToolNames } from './tool-names';

/**
 * The turns of a request as messages: every call with what it returned, or neither. Where no tools are offered, providers take no
 * calls either: what was called and returned is then told as data.
 */
export function messagesOf(request: ModelRequest, names: ToolNames): ModelMessage[] {
  let calls = 0;
  const nextId = () => `call_${++calls}`;
  const stepMessages =
    request.tools.length > 0
      ? (step: TurnStep) => exchangeMessages(step, names, nextId)
      : (step: TurnStep) => toldMessages(step);
  const messages = [...request.history, request.turn].flatMap((turn) => turnMessages(turn, stepMessages));
  if (!request.repairing) return messages;
  const answer = request.turn.steps.at(-1)?.text ?? '';
  return [...messages, { role: 'user', content: repairText(answer, request.outputSchema) }];
}

function turnMessages({ input, steps }: Turn, stepMessages: (step: TurnStep) => ModelMessage[]): ModelMessage[] {
  return [{ role: 'user', content: saying(input) }, ...steps.flatMap(stepMessages)];
}

function exchangeMessages({ text, exchanges }: TurnStep, names: ToolNames, nextId: () => string): ModelMessage[] {
  const content: Exclude<AssistantModelMessage['content'], string> = [];
  const results: ToolModelMessage['content'] = [];
  if (!isBlank(text)) content.push({ type: 'text', text });
  for (const exchange of exchanges) {
    const toolName = names.outward(exchange.tool);
    const toolCallId = nextId();
    content.push({ type: 'tool-call', toolCallId, toolName, input: objectOf(exchange.input) });
    results.push({ type: 'tool-result', toolCallId, toolName, output: outputOf(exchange) });
  }
  if (content.length === 0) return [];
  const said: ModelMessage = { role: 'assistant', content };
  return results.length === 0 ? [said] : [said, { role: 'tool', content: results }];
}

function toldMessages({ text, exchanges }: TurnStep): ModelMessage[] {
  const said: ModelMessage[] = isBlank(text) ? [] : [{ role: 'assistant', content: text }];
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

/** Providers take objects only; a model may have written something else. */
function objectOf(input: JsonValue): unknown {
  return isJsonObject(input) ? input : { notAnObject: input };
}

/** Providers refuse messages without a visible character. */
function saying(text: string): string {
  return isBlank(text) ? '(nothing but space)' : text;
}

function isBlank(text: string | null): text is null {
  return text === null || text.trim() === '';
}
