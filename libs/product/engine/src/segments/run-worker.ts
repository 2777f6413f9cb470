import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { asId, DamagedStream, type RunKey, failureWords } from '@app/kernel';
import { Notifications } from '@app/read-store';
import { Draining } from '@app/http';
import { settledWithin } from '@app/runtime';
import { Configuration } from '@app/settings';
import { leaseRenewMs, LocalExecution, RunLeases, SegmentClosing, stopChannel, workChannel } from '@app/runs';
import type { BegunSegment, ExecutableSegment, Executor } from '@app/runs';
import { ExecuteRun } from './execute-run';
import { RunningSegment } from '../run/running-segment';
import type { Execution } from './run-steps';

/** How often a worker polls for segments that no notification announced, mainly those of a worker that died. */
const lookEveryMs = 500;
/** Most segments that a process executes where they begin; further ones are left to whichever worker claims them first. */
const begunHereMax = 64;
/** How long a segment that could not be executed now is released before the next claim. */
const retryAfterMs = 500;
/** How long a process that stops waits for the runs that it executes. */
const leaveAfterMs = 3_000;

/**
 * Executes segments in parallel: those that begin in this process, and those that it claims. Renews their leases, closes segments that are
 * over, and releases everything when the process stops.
 */
@Injectable()
export class RunWorker implements Executor, OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(RunWorker.name);
  private isLeaving = false;
  private readonly running = new Map<RunKey, RunningSegment>();
  /** Runs that are about to begin here. */
  private readonly reserved = new Set<RunKey>();
  private readonly timers: NodeJS.Timeout[] = [];
  /** Never rejects. */
  private claims: Promise<void> | null = null;
  private claimAgain = false;
  /** Whether a segment was passed over that this worker may have room for once another is done. */
  private claimNext = false;

  constructor(
    private readonly leases: RunLeases,
    private readonly closing: SegmentClosing,
    private readonly execution: ExecuteRun,
    private readonly local: LocalExecution,
    private readonly notifications: Notifications,
    private readonly configuration: Configuration,
    private readonly draining: Draining,
  ) {}

  onApplicationBootstrap(): void {
    this.local.offer(this);
    // While this process answers its last requests, another one can already continue its runs.
    this.draining.signal.addEventListener('abort', () => this.leave(), { once: true });
    this.notifications.on(workChannel, (runKey) => this.look(asId(runKey)));
    this.notifications.on(stopChannel, (runKey) => this.stop(asId<RunKey>(runKey)));
    this.timers.push(setInterval(() => void this.claim(), lookEveryMs));
    this.timers.push(setInterval(() => void this.renew(), leaseRenewMs));
  }

  /**
   * Takes no more, interrupts the segments executed here and releases their leases. It waits for that for a moment only: the lease of a run
   * whose tool does not stop expires by itself, as if the process had died.
   */
  async onModuleDestroy(): Promise<void> {
    this.leave();
    await this.claims;
    const executed = [...this.running.values()].map(({ done }) => done);
    if (!(await settledWithin(executed, leaveAfterMs))) this.logger.warn('runs are left in the middle of a call');
    for (const timer of this.timers) clearInterval(timer);
  }

  reserve(runKey: RunKey): boolean {
    // A segment that is over and being closed waits for its stores only.
    const isFull = this.room <= 0 || this.executed.length + this.reserved.size >= begunHereMax;
    if (this.isLeaving || isFull || this.isHere(runKey)) {
      this.claimNext = true;
      return false;
    }
    this.reserved.add(runKey);
    return true;
  }

  giveBack(runKey: RunKey): void {
    this.reserved.delete(runKey);
  }

  begin(segment: BegunSegment): void {
    this.reserved.delete(segment.runKey);
    this.execute(segment, (running) => this.execution.goOn(segment, running.signals));
  }

  /** Stops a run, if it is executed here. */
  stop(runKey: RunKey): void {
    this.running.get(runKey)?.stop();
  }

  private leave(): void {
    this.isLeaving = true;
    for (const running of this.running.values()) running.leave();
  }

  /** Claims on the notification that a run can be claimed; a run that is here already needs nothing. */
  private look(runKey: RunKey): void {
    if (!this.isHere(runKey)) void this.claim();
  }

  private isHere(runKey: RunKey): boolean {
    return this.running.has(runKey) || this.reserved.has(runKey);
  }

  private get executed(): ExecutableSegment[] {
    return [...this.running.values()].filter(({ isOver }) => !isOver).map(({ segment }) => segment);
  }

  private get room(): number {
    return this.configuration.env.EXECUTION_CAPACITY - this.running.size - this.reserved.size;
  }

  /** Claims as many segments as there is room for; a call during a call causes one more round. */
  private async claim(): Promise<void> {
    this.claimAgain = true;
    this.claims ??= this.claimAll().finally(() => (this.claims = null));
    await this.claims;
  }

  private async claimAll(): Promise<void> {
    try {
      while (this.claimAgain && !this.isLeaving) {
        this.claimAgain = false;
        await this.claimOnce();
      }
    } catch (error) {
      // The next poll follows in half a second.
      this.logger.warn(`no runs could be claimed: ${failureWords(error)}`);
    }
  }

  private async claimOnce(): Promise<void> {
    const { room } = this;
    if (room <= 0) {
      this.claimNext = true;
      return;
    }
    for (const segment of await this.leases.claim(room)) {
      if (this.isLeaving) await this.leases.release(segment);
      // A run that is here outlived its lease, and won it again: the fence decides which of the two attempts continues.
      else if (!this.isHere(segment.runKey))
        this.execute(segment, (running) => this.execution.claim(segment, running.signals));
    }
  }

  private execute(segment: ExecutableSegment, how: (running: RunningSegment) => Promise<Execution>): void {
    const running = new RunningSegment(segment);
    this.running.set(segment.runKey, running);
    // It began while the process was already stopping.
    if (this.isLeaving) running.leave();
    running.done = this.settle(running, () => how(running)).finally(() => {
      this.running.delete(segment.runKey);
      if (!this.claimNext) return;
      this.claimNext = false;
      void this.claim();
    });
  }

  private async settle(running: RunningSegment, execute: () => Promise<Execution>): Promise<void> {
    const { segment } = running;
    try {
      const execution = await execute();
      running.isOver = true;
      switch (execution.kind) {
        case 'over':
          await (execution.end === null
            ? this.closing.release(segment)
            : this.closing.close(execution.end, segment.conversationId, execution.cause));
          return;
        case 'left':
          return await this.leases.release(segment, this.isLeaving ? 0 : retryAfterMs);
        case 'fenced':
          return;
      }
    } catch (error) {
      await this.letGo(segment, error).catch(() => undefined); // the lease expires by itself
    }
  }

  /** A run that needs a damaged stream takes up no capacity: once the stream is whole, the watchdog has the run executed. */
  private async letGo(segment: ExecutableSegment, err: unknown): Promise<void> {
    const { runId, conversationId, userId } = segment;
    const run = { runId, conversationId, userId, segment: segment.segment };
    if (err instanceof DamagedStream) {
      const msg = 'a run waits until a stream that it needs is whole again';
      this.logger.warn({ msg, ...run, damage: err.message });
      return this.closing.release(segment);
    }
    this.logger.error({ msg: 'a run could not go on here and will be claimed again', ...run, err });
    return this.leases.release(segment, retryAfterMs);
  }

  private async renew(): Promise<void> {
    try {
      const { stopping, retaken, lost } = await this.leases.renew(this.executed);
      for (const runKey of stopping) this.stop(runKey);
      for (const runKey of lost) this.running.get(runKey)?.leave();
      for (const runKey of retaken) await this.giveBackIfOver(runKey);
    } catch (error) {
      this.logger.warn(`leases were not renewed: ${failureWords(error)}`);
    }
  }

  /** A segment that ended while its lease was renewed had no row any more, and needs none. */
  private async giveBackIfOver(runKey: RunKey): Promise<void> {
    const running = this.running.get(runKey);
    if (running?.isOver === true) await this.closing.release(running.segment);
  }
}
