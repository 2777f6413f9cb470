import { cosign, noteText, signatureLine, type Note, type SigningKey, type VerifierKey } from '@app/transparency';
import AsyncLock from 'async-lock';
import { join } from 'node:path';
import { forkOf, keepEvidence } from './evidence';
import { judge, signedByLog, type Contradiction } from './judgement';
import { keep, originHash, readKept, type KeptCheckpoint } from './kept-log';
import type { Submission } from './submission';

/** What a witness answers: a status, and the body. */
export interface Answer {
  readonly status: 200 | 400 | 403 | 404 | 409 | 422;
  readonly body: string;
}

/** What an operator should hear of. */
export type OnNews = (level: 'info' | 'error', message: string, fields: Readonly<Record<string, unknown>>) => void;

export interface LogOptions {
  readonly origin: string;
  /** Any of them signs for the log. */
  readonly keys: readonly VerifierKey[];
  readonly key: SigningKey;
  /** Of the witness; there. */
  readonly folder: string;
  /** Unix time in milliseconds. */
  readonly now: () => number;
  readonly onNews: OnNews;
}

const waitingMax = 200;

/** One log as a witness knows it. Submissions are judged and kept one at a time: no two of them find the same tree to be the last one. */
export class WitnessedLog {
  private readonly order = new AsyncLock({ maxPending: waitingMax });
  private readonly states: string;
  private readonly evidence: string;
  private latest: KeptCheckpoint | null = null;

  private constructor(private readonly options: LogOptions) {
    this.states = join(options.folder, 'logs');
    this.evidence = join(options.folder, 'evidence', originHash(options.origin));
  }

  /** The log as the folder knows it. @throws where what is kept of it is damaged */
  static async open(options: LogOptions): Promise<WitnessedLog> {
    const log = new WitnessedLog(options);
    log.latest = await readKept(log.states, options.origin);
    return log;
  }

  /** Judges, keeps and signs. @throws where nothing can be kept: then nothing is signed either */
  async add(submission: Submission): Promise<Answer> {
    const note = signedByLog(submission.note, this.options.keys);
    if (note === null) return { status: 403, body: 'no key of the log signed that\n' };
    return this.order.acquire('one', () => this.addNext(submission, note));
  }

  private async addNext(submission: Submission, note: Note): Promise<Answer> {
    const judgement = judge(submission, this.latest?.checkpoint ?? null);
    if (judgement.status === 200) return { status: 200, body: await this.sign({ ...submission, note }) };
    if ('contradiction' in judgement) await this.keepContradiction(judgement.contradiction, note);
    if (judgement.status === 409) return { status: 409, body: `${judgement.size}\n` };
    return { status: judgement.status, body: `${judgement.why}\n` };
  }

  /** Keeps first: whatever is signed is known after any crash, so that nothing is ever signed that contradicts it. */
  private async sign({ checkpoint, note }: Pick<Submission, 'checkpoint' | 'note'>): Promise<string> {
    // A clock that was set back must not make a larger tree older than a smaller one.
    const seconds = Math.max(Math.floor(this.options.now() / 1000), this.latest?.seconds ?? 0);
    const next = { checkpoint, note, seconds };
    await keep(this.states, next);
    this.latest = next;
    return this.line(next);
  }

  private line({ note, seconds }: KeptCheckpoint): string {
    return signatureLine(cosign(this.options.key, note.text, seconds));
  }

  /** The checkpoint that was signed last, with the signatures of the log and of the witness; null where there is none. */
  checkpoint(): string | null {
    return this.latest && noteText(this.latest.note) + this.line(this.latest);
  }

  /** Two checkpoints that prove that the log forked; null as long as it did not. */
  fork(): Promise<string | null> {
    return forkOf(this.evidence);
  }

  private async keepContradiction(contradiction: Contradiction, note: Note): Promise<void> {
    const [signed, refused] = [this.checkpoint(), noteText(note)];
    if (signed === null) return;
    const { origin, onNews } = this.options;
    const file = await keepEvidence(this.evidence, { origin, contradiction, signed, refused });
    if (file === null) return;
    const message =
      contradiction === 'same_size' ? 'THE LOG FORKED: two trees of one size' : 'a tree was not shown to have grown';
    onNews('error', message, { origin, signed, refused, file });
  }
}
