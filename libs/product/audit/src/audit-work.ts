import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Database, keepLeading, Notifications } from '@app/read-store';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkpointWanted } from './checkpoint-wanted';
import { Checkpoints, LogForked } from './checkpoints';
import { LogBuilder } from './log-builder';
import { Witnesses } from './witnesses';

/** Real time: a moved sandbox clock makes no checkpoints. */
const buildEveryMs = 1_000;
const checkpointEveryMs = 60_000;
/** Checkpoints that receipts ask for: no more often than this, however many ask. */
const wantedEveryMs = 500;

/** Builds the log, makes its checkpoints and has them witnessed, in one process of the deployment. */
@Injectable()
export class AuditWork implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(AuditWork.name);
  private readonly stopping = new AbortController();
  private work: Promise<void> = Promise.resolve();
  private madeAtMs = -Infinity;
  /** The size of the tree that a checkpoint was made of last. */
  private coveredSize = -1;
  private isWanted = false;
  private wake = (): void => undefined;

  constructor(
    private readonly database: Database,
    private readonly notifications: Notifications,
    private readonly builder: LogBuilder,
    private readonly checkpoints: Checkpoints,
    private readonly witnesses: Witnesses,
  ) {}

  onApplicationBootstrap(): void {
    const { leaderSession } = this.database;
    const stopListening = this.notifications.on(checkpointWanted, () => {
      // Who asks while others have asked wakes nobody again.
      if (!this.isWanted) this.wake();
      this.isWanted = true;
    });
    this.work = keepLeading(leaderSession, 'transparency', this.stopping.signal, (leading) =>
      this.lead(leading),
    ).finally(stopListening);
  }

  async onModuleDestroy(): Promise<void> {
    this.stopping.abort();
    await this.work;
  }

  private async lead(leading: AbortSignal): Promise<void> {
    const ending = new AbortController();
    const signal = AbortSignal.any([leading, ending.signal]);
    const witnessing = this.witnesses.follow(signal);
    try {
      this.witnesses.tell(await this.checkpoints.current());
      await this.build(leading);
    } finally {
      ending.abort();
      await witnessing;
    }
  }

  private async build(leading: AbortSignal): Promise<void> {
    this.builder.forget();
    this.coveredSize = -1; // another process may have left a checkpoint that is not signed
    leading.addEventListener('abort', () => this.wake(), { once: true });
    while (!leading.aborted) {
      const { place, edge } = await this.builder.catchUp(leading);
      if (place.size === this.coveredSize) this.isWanted = false;
      else if (!leading.aborted && this.isDue()) {
        this.isWanted = false;
        this.coveredSize = place.size;
        // The first events of all are covered at once.
        if (place.size > 0) this.madeAtMs = performance.now();
        await this.make(place, edge);
      }
      if (!leading.aborted) await this.rest();
    }
  }

  private isDue(): boolean {
    return performance.now() - this.madeAtMs >= (this.isWanted ? wantedEveryMs : checkpointEveryMs);
  }

  private async make(...tree: Parameters<Checkpoints['make']>): Promise<void> {
    try {
      this.witnesses.tell(await this.checkpoints.make(...tree));
    } catch (error) {
      if (!(error instanceof LogForked)) throw error;
      this.logger.error({ msg: 'the log signs nothing: what it covers was altered', err: error });
    }
  }

  /** Until there may be something to do, or another process leads. */
  private async rest(): Promise<void> {
    const woken = new AbortController();
    this.wake = () => woken.abort();
    const withinMs = this.isWanted ? wantedEveryMs : buildEveryMs;
    await sleep(withinMs, undefined, { signal: woken.signal }).catch(() => undefined); // woken: there may be something to do
  }
}
