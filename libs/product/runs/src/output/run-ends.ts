import type { RunEnd, RunFailureReason } from '@app/conversations';
import type { JsonValue } from '@app/kernel';
import { parseOutput } from './output';

/** The end of a run that failed, in the product's words. */
export function failedEnd(reason: RunFailureReason, text: string): RunEnd {
  return { status: 'failed', response: null, output: null, failure: { reason, text } };
}

export const accountDisabledEnd = failedEnd('account_disabled', 'The account is disabled.');
export const outOfBudgetEnd = failedEnd('budget_exhausted', 'The spend headroom ran out.');
export const stepLimitEnd = failedEnd('step_limit', 'The run used all the steps that its profile allows.');

/** A final answer: the model's whole text, or one `truncated` by the model's output limit. */
export interface FinalAnswer {
  readonly text: string;
  readonly truncated: boolean;
}

/** The end of a run with that answer; null if it violates the schema and `mayRepair` allows one more attempt. */
export function endOfAnswer(response: FinalAnswer, outputSchema: JsonValue, mayRepair: boolean): RunEnd | null {
  // A truncated text is not a value, even if it parses as one.
  if (response.truncated && outputSchema !== null) {
    return failedEnd('output_invalid', 'The output limit cut the answer.');
  }
  const output = parseOutput(response.text, outputSchema);
  if (output.valid) return { status: 'completed', response, output: output.value, failure: null };
  return mayRepair ? null : failedEnd('output_invalid', 'The answer does not satisfy the output schema.');
}
