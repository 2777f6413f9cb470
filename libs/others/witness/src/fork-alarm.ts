import type { Fork, KeptForks } from './evidence';
import { RateLimit, type OnReport } from './reports';

/** A fork that is submitted again is reported again, but not each time. */
const againAfterMs = 60_000;
/** Limit of the forks that a process remembers. Beyond it the log keeps forking, and one report a minute says so. */
const rememberedMax = 1_000;
/** Forks whose file could not be written, which is tried again. */
const unkeptMax = 10;

const messages = {
  same_size: 'THE LOG FORKED: two trees of one size',
  inconsistent: 'THE LOG FORKED: a larger tree does not begin with the smaller one',
} as const;

/** Reports each fork of a log and stores it. The report is first and contains both notes, so a full disk takes nothing from it. */
export class ForkAlarm {
  private readonly reported = new Set<string>();
  private readonly unkept = new Map<string, Fork>();
  private readonly again = new RateLimit(againAfterMs);
  private readonly failing = new RateLimit(againAfterMs);

  constructor(
    private readonly origin: string,
    private readonly forks: KeptForks,
    private readonly onNews: OnReport,
  ) {}

  /** Reports the forks that earlier processes stored, because one that was killed may have reported nothing. */
  begin(): void {
    const { files } = this.forks;
    if (files.length > 0) this.onNews('error', 'THE LOG FORKED: the proof is kept', { origin: this.origin, files });
  }

  /** Reports a fork: each one at once, and at most once a minute when it is submitted again. Never throws. */
  async raise(fork: Fork): Promise<void> {
    const { origin, contradiction, known, refused } = fork;
    const file = this.forks.fileOf(fork);
    const isNew = !this.reported.has(file) && this.reported.size < rememberedMax;
    if (isNew) this.reported.add(file);
    const isDue = this.again.isDue();
    if (isNew || isDue) this.onNews('error', messages[contradiction], { origin, signed: known.note, refused, file });
    await this.keep(fork);
  }

  /** Tries again to store the forks that the disk did not accept. Never throws. */
  async retry(): Promise<void> {
    for (const fork of [...this.unkept.values()]) await this.keep(fork);
  }

  private async keep(fork: Fork): Promise<void> {
    const file = this.forks.fileOf(fork);
    try {
      await this.forks.keep(fork);
      this.unkept.delete(file);
    } catch (error) {
      if (this.unkept.size < unkeptMax) this.unkept.set(file, fork);
      if (this.failing.isDue())
        this.onNews('error', 'the proof of a fork could not be written: it is tried again', {
          origin: this.origin,
          file,
          error: error instanceof Error ? error.message : String(error),
        });
    }
  }
}
