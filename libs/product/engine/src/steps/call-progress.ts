import { progressBounds } from '@app/conversations';
import { beginningOnOneLine } from '@app/kernel';
import type { ReportedProgress } from '../tool';

/** Time between two frames of a call: three a second at most, so that the last one still fits when the call ends. */
const frameEveryMs = 350;

/**
 * Passes the progress of one call from its tool to readers, at most 4 frames a second. Of the reports in between only the newest is kept,
 * so a flood of them costs neither memory nor frames.
 */
export class CallProgress {
  private newest: ReportedProgress | null = null;
  private shown: ReportedProgress | null = null;
  private shownAt = -Infinity;
  private timer: NodeJS.Timeout | null = null;
  private isOver = false;

  /** @param show gets a report with its words on one line, within their bound; never twice the same */
  constructor(private readonly show: (progress: ReportedProgress) => void) {}

  /** Takes a report; ignored once the call is over. Never throws. */
  readonly take = (reported: ReportedProgress): void => {
    if (this.isOver) return;
    this.newest = reported;
    if (this.timer !== null) return;
    const waitMs = this.shownAt + frameEveryMs - performance.now();
    if (waitMs <= 0) this.showNewest();
    else this.timer = setTimeout(() => this.showNewest(), waitMs).unref();
  };

  /** Shows the last report, if it waits. Returns whether anything was shown. */
  end(): boolean {
    this.isOver = true;
    this.showNewest();
    return this.shown !== null;
  }

  private showNewest(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    const { newest, shown } = this;
    this.newest = null;
    if (newest === null) return;
    const progress = { ...newest, message: lineOf(newest.message) };
    if (shown !== null && isSame(progress, shown)) return;
    this.shown = progress;
    this.shownAt = performance.now();
    this.show(progress);
  }
}

/** Returns null for words of which a reader would see nothing. */
function lineOf(message: string | null): string | null {
  const line = message === null ? '' : beginningOnOneLine(message, progressBounds.messageLengthMax);
  return line === '' ? null : line;
}

function isSame(one: ReportedProgress, other: ReportedProgress): boolean {
  return one.progress === other.progress && one.total === other.total && one.message === other.message;
}
