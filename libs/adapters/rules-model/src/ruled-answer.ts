import type { JsonObject } from '@app/kernel';
import type { ModelRequest, ToolExchange } from '@app/engine';

/** What the rules say next: calls to make side by side, or the last words. */
export type RuledAnswer =
  | { readonly calls: readonly RuledCall[] }
  /** `reasoning`: what it says that it has thought before, where it was told to. */
  | { readonly text: string; readonly reasoning?: string };

export interface RuledCall {
  readonly tool: string;
  readonly input: JsonObject;
}

/** A call as the answer, or words where the run may not use the tool. */
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
