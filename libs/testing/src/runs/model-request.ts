import type { JsonValue } from '@app/kernel';
import type { Allowance, StepRequest, ToolExchange } from '@app/engine';

/** Covers any cost. */
export const withoutEnd: Allowance = { cover: () => Promise.resolve(Number.MAX_SAFE_INTEGER) };

/** Returns a request for the next step of a turn in which these calls were made, each in a step of its own. */
export function modelRequest(
  input: string,
  exchanges: readonly Omit<ToolExchange, 'toolCallId'>[],
  tools: readonly string[],
  outputSchema: JsonValue = null,
): StepRequest {
  const steps = exchanges.map((exchange, index) => ({
    text: null,
    exchanges: [{ toolCallId: `run/${index + 1}/0`, ...exchange }],
  }));
  const offers = tools.map((name) => ({ name, description: name, inputSchema: { type: 'object' } }));
  return {
    allowance: withoutEnd,
    instructions: null,
    history: [],
    turn: { input, steps },
    tools: offers,
    artifacts: [],
    outputSchema,
    temperature: null,
    effort: null,
    reasoning: false,
    repairing: false,
  };
}
