import { codePointLength, isJsonObject, isStorable, parsedJson, type JsonObject } from '@app/kernel';
import type { ModelRequest, ToolExchange } from '@app/engine';
import { callTool, exchangesOf, type RuledAnswer } from './ruled-answer';

/** Maximum number of code points quoted from a result. */
const quotedLengthMax = 2_000;

/** Answers `call TOOL {json}`: calls that tool with that input, and reports what it returned. Null for any other sentence. */
export function answerAboutCalls(request: ModelRequest): RuledAnswer | null {
  const { input } = request.turn;
  const [head, tool] = /^\s*call\s+(\S{1,140})\s+(?=\{)/i.exec(input) ?? [];
  if (head === undefined || tool === undefined) return null;
  const [done] = exchangesOf(request);
  if (done !== undefined) return { text: tellResult(done) };
  const given = objectIn(input.slice(head.length));
  return given === null
    ? { text: `What follows ${tool} is no JSON object that I can pass on.` }
    : callTool(request, tool, given);
}

function objectIn(text: string): JsonObject | null {
  const value = parsedJson(text);
  return isJsonObject(value) && isStorable(value) ? value : null;
}

function tellResult({ tool, outcome, result }: ToolExchange): string {
  const text = JSON.stringify(result);
  const isLong = codePointLength(text) > quotedLengthMax;
  const quoted = isLong ? `${[...text].slice(0, quotedLengthMax).join('')} …` : text;
  return `${tool} returned ${outcome === 'ok' ? '' : `${outcome}: `}${quoted}`;
}
