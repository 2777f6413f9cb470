import { cosign, noteText, signatureLine, type Note, type SigningKey, type VerifierKey } from '@app/transparency';
import AsyncLock from 'async-lock';
import { join } from 'node:path';
import { KeptForks } from './evidence';
import { ForkAlarm } from './fork-alarm';
import { judge, signedByLog } from './judgement';
import { keep, originHash, readKept, type KeptCheckpoint } from './kept-log';
import { KnownCheckpoints } from './known-checkpoints';
import { RateLimit, type OnReport } from './reports';
import type { Submission } from './submission';

/** The answer of a witness: a status, and the body. */
export interface Answer {
  readonly status: 200 | 400 | 403 | 404 | 409 | 422 | 503;
  readonly body: string;
}

export interface LogOptions {
  readonly origin: string;
  /** Keys of the log, each of which may sign for it. */
  readonly keys: readonly VerifierKey[];
  readonly key: SigningKey;
  /** The existing folder of the witness. */
  readonly folder: string;
  /** Unix time in milliseconds. */
  readonly now: () => number;
  readonly onNews: OnReport;
}

const waitingMax = 200;
const busy: Answer = { status: 503, body: 'too many submissions at once\n' };
/** Anyone can submit invalid proofs, so they are reported at most this often. */
const unprovenEveryMs = 60_000;

/** One log as a witness knows it. Submissions are judged and stored one at a time, so no two of them see the same last tree. */
export class WitnessedLog {
  private readonly order = new AsyncLock({ maxPending: Infinity });
  private readonly states: string;
  private readonly known = new KnownCheckpoints();
  private readonly alarm: ForkAlarm;
  private readonly unproven = new RateLimit(unprovenEveryMs);
  private latest: KeptCheckpoint | null = null;
  private waiting = 0;

  private constructor(
    private readonly options: LogOptions,
    private readonly forks: KeptForks,
  ) {
    this.states = join(options.folder, 'logs');
    this.alarm = new ForkAlarm(options.origin, forks, options.onNews);
  }

  /** Opens the log with its stored state, and reports its stored forks. @throws when the stored state is damaged */
  static async open(options: LogOptions): Promise<WitnessedLog> {
    const forks = await KeptForks.open(join(options.folder, 'evidence', originHash(options.origin)));
    const log = new WitnessedLog(options, forks);
    log.latest = await readKept(log.states, options.origin);
    log.rememberLatest();
    log.alarm.begin();
    return log;
  }

  /** Judges, stores and signs. @throws when nothing can be stored: then nothing is signed either */
  async add(submission: Submission): Promise<Answer> {
    const note = signedByLog(submission.note, this.options.keys);
    if (note === null) return { status: 403, body: 'no key of the log signed that\n' };
    if (this.waiting >= waitingMax) return busy;
    this.waiting += 1;
    try {
      return await this.order.acquire('one', () => this.addNext(submission, note));
    } finally {
      this.waiting -= 1;
    }
  }

  private async addNext(submission: Submission, note: Note): Promise<Answer> {
    const fork = this.known.forkIn(this.options.origin, submission, note);
    await (fork === null ? this.alarm.retry() : this.alarm.raise(fork));
    const judgement = judge(submission, this.latest?.checkpoint ?? null);
    if (judgement.status === 200) return { status: 200, body: await this.sign({ ...submission, note }) };
    const { checkpoint } = submission;
    if (fork === null) this.known.remember({ checkpoint, note: noteText(note), isWitnessed: false });
    if (judgement.status === 409) return { status: 409, body: `${judgement.size}\n` };
    if (fork === null && judgement.status === 422) this.reportUnproven(judgement.why, note);
    return { status: judgement.status, body: `${judgement.why}\n` };
  }

  /** An invalid proof proves nothing, because anyone can send one with a checkpoint that the log signed. */
  private reportUnproven(why: string, note: Note): void {
    if (!this.unproven.isDue()) return;
    const { origin, onNews } = this.options;
    onNews('warn', 'a checkpoint was refused; nothing is proven by that', { origin, why, refused: noteText(note) });
  }

  /** Stores before signing: whatever is signed is known after any crash, so that nothing is ever signed that contradicts it. */
  private async sign({ checkpoint, note }: Pick<Submission, 'checkpoint' | 'note'>): Promise<string> {
    // A clock that was set back must not make a larger tree older than a smaller one.
    const seconds = Math.max(Math.floor(this.options.now() / 1000), this.latest?.seconds ?? 0);
    const next = { checkpoint, note, seconds };
    // The same once more within a second: that signature is on disk already.
    if (this.latest?.seconds === seconds && noteText(this.latest.note) === noteText(note)) return this.line(next);
    await keep(this.states, next);
    this.latest = next;
    this.rememberLatest();
    return this.line(next);
  }

  private rememberLatest(): void {
    const note = this.checkpoint();
    if (this.latest === null || note === null) return;
    this.known.remember({ checkpoint: this.latest.checkpoint, note, isWitnessed: true });
  }

  private line({ note, seconds }: KeptCheckpoint): string {
    return signatureLine(cosign(this.options.key, note.text, seconds));
  }

  /** The checkpoint that was signed last, with the signatures of the log and of the witness; null when there is none. */
  checkpoint(): string | null {
    return this.latest && noteText(this.latest.note) + this.line(this.latest);
  }

  /** Two checkpoints that prove that the log forked; null as long as there are none. */
  fork(): Promise<string | null> {
    return this.forks.first();
  }
}
