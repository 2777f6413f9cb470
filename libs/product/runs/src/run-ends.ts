import type { RunEnd, RunFailureReason } from '@app/conversations';

/** The end of a run that failed, in words that are the product's own. */
export function failedEnd(reason: RunFailureReason, text: string): RunEnd {
  return { status: 'failed', response: null, output: null, failure: { reason, text } };
}
