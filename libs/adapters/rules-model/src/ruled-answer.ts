import type { JsonObject } from '@app/kernel';
import type { ModelRequest, ToolExchange } from '@app/engine';

/** The next answer of the rules: calls to make in parallel, or the final text. */
export type RuledAnswer =
  | { readonly calls: readonly RuledCall[] }
  /** `reasoning`: the text that a sentence asked it to show as its reasoning. */
  | { readonly text: string; readonly reasoning?: string };

export interface RuledCall {
  readonly tool: string;
  readonly input: JsonObject;
}

/** A call as the answer, or a reply if the run may not use the tool. */
export function callTool(request: ModelRequest, tool: string, input: JsonObject): RuledAnswer {
  if (!mayUse(request, tool)) return { text: `This run may not use the tool ${tool}, so I cannot do that.` };
  return { calls: [{ tool, input }] };
}

export function mayUse({ tools }: ModelRequest, tool: string): boolean {
  return tools.some(({ name }) => name === tool);
}

/** Every call of the turn so far, oldest first. */
export function exchangesOf({ turn }: ModelRequest): readonly ToolExchange[] {
  return turn.steps.flatMap(({ exchanges }) => exchanges);
}
