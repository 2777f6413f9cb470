import { Injectable, Logger } from '@nestjs/common';
import type { OnApplicationBootstrap, OnModuleDestroy, OnModuleInit } from '@nestjs/common';
import { Database, keepLeading, Notifications, Processes } from '@app/read-store';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkpointWanted, Checkpoints, LogForked, LogHeld, LogIncomplete } from './signing/checkpoints';
import { LogBuilder } from './log/log-builder';
import { LogIdentity } from './log/log-identity';
import { Witnesses } from './witnesses/witnesses';
import { ReadinessChecks } from '@app/http';

/** Real time, because moving the sandbox clock makes no checkpoints. */
const buildEveryMs = 1_000;
const checkpointEveryMs = 60_000;
/** Minimum time between checkpoints requested for receipts, however many requests there are. */
const wantedEveryMs = 500;

/** Name under which processes report a log that signs nothing. */
const logTroubles = 'transparency log';

/** Builds the log, makes its checkpoints and has them witnessed, in one process of the deployment. */
@Injectable()
export class AuditWork implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(AuditWork.name);
  private readonly stopping = new AbortController();
  private work: Promise<void> = Promise.resolve();
  private madeAtMs = -Infinity;
  /** The size of the tree that the last checkpoint was made of. */
  private coveredSize = -1;
  private isWanted = false;
  /** Why nothing can be signed, as found by this process; null for a hold, which an operator ends. */
  private trouble: 'forked' | 'incomplete' | null = null;
  /** The id of the last hold that was logged. */
  private saidOf: string | null = null;
  /** Number of leaves that were missing at the last check; another process may have just decided on a larger tree. */
  private missing = 0;
  private wake = (): void => undefined;

  constructor(
    private readonly database: Database,
    private readonly notifications: Notifications,
    private readonly builder: LogBuilder,
    private readonly checkpoints: Checkpoints,
    private readonly witnesses: Witnesses,
    private readonly identity: LogIdentity,
    processes: Processes,
  ) {
    processes.reports(() => (this.trouble === null ? [] : [`${logTroubles} (${this.trouble})`]));
  }

  onApplicationBootstrap(): void {
    const { leaderSession } = this.database;
    const stopListening = this.notifications.on(checkpointWanted, () => {
      // A repeated request does not wake the loop again.
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
      if ((await this.identity.hold()) === null) this.witnesses.tell(await this.checkpoints.current());
      await this.build(leading);
    } finally {
      this.trouble = null; // the next leader reports what is wrong
      ending.abort();
      await witnessing;
    }
  }

  private async build(leading: AbortSignal): Promise<void> {
    this.builder.forget();
    this.coveredSize = -1; // another process may have left an unsigned checkpoint
    leading.addEventListener('abort', () => this.wake(), { once: true });
    while (!leading.aborted) {
      const { place, edge } = await this.builder.catchUp(leading);
      if (place.size === this.coveredSize) this.isWanted = false;
      else if (!leading.aborted && this.isDue()) {
        this.isWanted = false;
        this.coveredSize = place.size;
        // An empty tree does not start the interval, so that the first events are covered at once.
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
      [this.trouble, this.missing] = [null, 0];
    } catch (error) {
      if (error instanceof LogForked) this.isForked(error);
      else if (error instanceof LogIncomplete) this.isIncomplete(error);
      else if (error instanceof LogHeld) this.isHeld(error);
      else throw error;
    }
  }

  private isForked(error: LogForked): void {
    this.trouble = 'forked';
    this.logger.error({ msg: 'the log signs nothing: what it covers was altered', err: error });
  }

  /**
   * Everything was read and is less than what was signed. Another process that has read more may have just decided that
   * tree, so this is reported only if the next check finds the same.
   */
  private isIncomplete(error: LogIncomplete): void {
    const missing = error.signed - error.size;
    const isSame = missing === this.missing;
    if (isSame && this.trouble === null)
      this.logger.error({ msg: 'the log signs nothing: events that it signed are missing', err: error });
    [this.missing, this.trouble] = [missing, isSame ? 'incomplete' : this.trouble];
    this.lookAgain();
    if (!isSame) this.madeAtMs = -Infinity;
  }

  private isHeld({ hold, message }: LogHeld): void {
    if (this.saidOf !== hold.id) this.logger.warn({ msg: message, why: hold.why });
    this.saidOf = hold.id;
    this.trouble = null;
    this.lookAgain();
  }

  /** Makes the same tree due again, because it may be signable later. */
  private lookAgain(): void {
    this.coveredSize = -1;
  }

  /** Waits until there may be something to do, or another process leads. */
  private async rest(): Promise<void> {
    const woken = new AbortController();
    this.wake = () => woken.abort();
    const withinMs = this.isWanted ? wantedEveryMs : buildEveryMs;
    await sleep(withinMs, undefined, { signal: woken.signal }).catch(() => undefined); // woken: there may be something to do
  }
}

/** Reports in `/readyz` that the log signs nothing, with a one-word reason; nothing while it signs. */
@Injectable()
export class LogReadiness implements OnModuleInit {
  constructor(
    private readonly checks: ReadinessChecks,
    private readonly identity: LogIdentity,
    private readonly processes: Processes,
  ) {}

  onModuleInit(): void {
    this.checks.add({ name: logTroubles, throughDatabase: true, check: () => this.state() });
  }

  private async state(): Promise<Record<string, 'degraded'>> {
    const [hold, troubles] = await Promise.all([this.identity.hold(), this.processes.troubles()]);
    const held = hold === null ? [] : [`${logTroubles} (${hold.why})`];
    const found = troubles.filter((trouble) => trouble.startsWith(logTroubles));
    return Object.fromEntries([...held, ...found].map((name) => [name, 'degraded']));
  }
}
