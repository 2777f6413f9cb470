import { progressBounds } from '@app/conversations';
import type { ReportProgress } from '../tool';

/** Progress as a server reports it for one request; its numbers and words are the server's. */
export interface GivenProgress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

/**
 * Passes on what a server reports for one attempt of a call. The protocol says that progress increases: a report that falls behind an
 * earlier one is dropped, and so is a number that is none. An equal one is passed on, since servers change the words only. A total that is
 * no number is unknown.
 */
export function risingProgress(report: ReportProgress): (given: GivenProgress) => void {
  let reached = 0;
  return ({ progress, total, message }) => {
    if (!isCount(progress) || progress < reached) return;
    reached = progress;
    report({ progress, total: isCount(total) ? total : null, message: typeof message === 'string' ? message : null });
  };
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= progressBounds.numberMax;
}
