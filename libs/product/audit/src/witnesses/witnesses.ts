import { Injectable, Logger } from '@nestjs/common';
import { sentence, words } from '@app/kernel';
import { Metrics } from '@app/runtime';
import { Configuration, type WitnessAddress } from '@app/settings';
import { verifierKeyText } from '@app/transparency';
import { ExponentialBackoff, type IBackoff } from 'cockatiel';
import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Gauge } from 'prom-client';
import { Checkpoints } from '../signing/checkpoints';
import type { CheckpointsState, SignedCheckpoint } from '../checkpoints/checkpoints.decider';
import { LogTables } from '../log/log-tables';
import { offerCheckpoint, WitnessTrouble, type Refusal } from './witness-call';
import { WitnessedHistory } from './witnessed-history';

/** Pauses after failures, with jitter, so that not all logs ask a recovering witness at once. */
const pauses = new ExponentialBackoff({ initialDelay: 500, maxDelay: 20_000 });
/** Maximum number of offers in a row to a witness that names another size each time. */
const offersMax = 3;

/** A witness's progress: the size that it signed last, the pause after failures, and the last failure. */
interface Progress {
  size: number;
  pause: IBackoff<unknown> | null;
  trouble: Refusal | 'away' | null;
}

const refusals = ['contradiction', 'unknown'] as const satisfies readonly Refusal[];
const messages = {
  contradiction: 'a witness refuses the checkpoint: the log lost or changed what it saw',
  unknown: 'a witness refuses the checkpoint: it does not know this log or its key',
  away: 'a witness does not sign',
} as const;

/** Asks each witness, in a loop of its own that no other delays, to sign the newest checkpoint. */
@Injectable()
export class Witnesses {
  private readonly logger = new Logger(Witnesses.name);
  private readonly bell = new EventEmitter().setMaxListeners(0);
  private readonly up: Gauge<'witness'>;
  private readonly refuses: Gauge<'witness' | 'why'>;
  private known: CheckpointsState | null = null;

  constructor(
    private readonly configuration: Configuration,
    private readonly tables: LogTables,
    private readonly checkpoints: Checkpoints,
    private readonly history: WitnessedHistory,
    { registry }: Metrics,
  ) {
    this.up = new Gauge({
      name: 'parley_witness_up',
      help: 'Whether a witness signed or refused when it was asked last (1), or is away (0); shown by the worker that builds the log',
      labelNames: ['witness'],
      registers: [registry],
    });
    this.refuses = new Gauge({
      name: 'parley_witness_refuses',
      help: 'Whether a witness refused when it was asked last, because it saw another log grow (contradiction) or does not know this one or its key (unknown); shown by the worker that builds the log',
      labelNames: ['witness', 'why'],
      registers: [registry],
    });
  }

  /** Publishes the current checkpoints; a new one is offered to the witnesses. */
  tell(state: CheckpointsState): void {
    this.known = state;
    this.bell.emit('told');
  }

  /** Offers each new checkpoint to each witness, until the signal aborts; never rejects. */
  async follow(signal: AbortSignal): Promise<void> {
    await Promise.all(this.configuration.env.WITNESSES.map((witness) => this.followOne(witness, signal)));
    // Another process asks them from now on.
    this.up.reset();
    this.refuses.reset();
  }

  private async followOne(witness: WitnessAddress, signal: AbortSignal): Promise<void> {
    const progress: Progress = { size: 0, pause: null, trouble: null };
    while (!signal.aborted)
      await this.step(progress, witness, signal).catch((error: unknown) => this.rest(progress, witness, error, signal));
  }

  private async step(progress: Progress, witness: WitnessAddress, signal: AbortSignal): Promise<void> {
    const newest = this.known?.signed.at(-1);
    if (newest === undefined || newest.size <= progress.size) {
      await once(this.bell, 'told', { signal });
      return;
    }
    await this.bring(newest, witness, signal);
    this.show(witness.key.name, null);
    if (progress.pause !== null) this.logger.log({ msg: 'a witness signs again', witness: witness.key.name });
    Object.assign(progress, { size: newest.size, pause: null, trouble: null });
  }

  /** Logs every refusal, but of consecutive failures to answer only the first, also after a refusal; pauses. */
  private async rest(progress: Progress, witness: WitnessAddress, err: unknown, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const { key } = witness;
    const trouble = (err instanceof WitnessTrouble ? err.refusal : null) ?? 'away';
    if (err instanceof WitnessTrouble) this.show(key.name, trouble);
    const said = { msg: messages[trouble], witness: key.name, err };
    if (trouble !== 'away') this.logger.error(said);
    else if (progress.trouble !== 'away') this.logger.warn(said);
    if (trouble === 'contradiction') await this.lookAtHistory(witness);
    progress.trouble = trouble;
    progress.pause = progress.pause?.next(null) ?? pauses.next();
    await sleep(progress.pause.duration, undefined, { signal }).catch(() => undefined); // aborted: the loop ends
  }

  /** Holds the log if the witness proves that it signed something else. */
  private async lookAtHistory(witness: WitnessAddress): Promise<void> {
    await this.history.look(witness).catch((err: unknown) => {
      this.logger.warn({ msg: 'a witness that refuses does not say what it signed', witness: witness.key.name, err });
    });
  }

  /** Sets the metrics to the witness's last answer; null: it signed. */
  private show(witness: string, trouble: Progress['trouble']): void {
    this.up.set({ witness }, trouble === 'away' ? 0 : 1);
    for (const why of refusals) this.refuses.set({ witness, why }, why === trouble ? 1 : 0);
  }

  /** Obtains the witness's line for a checkpoint, unless it is recorded already. */
  private async bring(newest: SignedCheckpoint, witness: WitnessAddress, signal: AbortSignal): Promise<void> {
    const key = verifierKeyText(witness.key);
    const isBy = ({ cosignatures }: SignedCheckpoint): boolean => cosignatures.some((one) => one.witness === key);
    if (isBy(newest)) return;
    let old = this.known?.signed.findLast(isBy)?.size ?? 0;
    for (let offers = 0; offers < offersMax; offers += 1) {
      const line = await this.offer(newest, old, witness, signal);
      if (typeof line === 'string') return this.checkpoints.cosign(newest.size, key, line);
      old = line;
    }
    throw new WitnessTrouble(sentence('it names another size each time'), 'contradiction');
  }

  /** The witness's line, or the size that it signed last. */
  private async offer(
    { size, note }: SignedCheckpoint,
    old: number,
    witness: WitnessAddress,
    signal: AbortSignal,
  ): Promise<string | number> {
    const path = await this.tables.tree(size).consistencyPath(old);
    const answer = await offerCheckpoint(witness, { old, path, note }, signal);
    if ('line' in answer) return answer.line;
    if (answer.signedLast <= size) return answer.signedLast;
    throw new WitnessTrouble(words`it signed ${answer.signedLast} leaves, and the log has ${size}`, 'contradiction');
  }
}
