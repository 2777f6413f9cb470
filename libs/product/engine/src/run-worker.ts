import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { asId, type RunKey } from '@app/kernel';
import { Notifications, ReadGate } from '@app/read-store';
import { Draining } from '@app/http';
import { Configuration, settledWithin } from '@app/runtime';
import { leaseRenewMs, RunLeases, stopChannel, workChannel, type ClaimableRun } from '@app/runs';
import { ExecuteRun } from './execute-run';

/** How often a worker looks for runs that no notification told it of: those of a worker that died, above all. */
const lookEveryMs = 500;
/** Runs that a process executes beyond these are left to whichever worker claims them first: those of one that is busy, to the others. */
const takenHereMax = 16;
/** How long a run that could not be executed now is left alone. */
const retryAfterMs = 500;

/** How long a process that stops waits for the runs that it executes. */
const leaveAfterMs = 3_000;

interface Executing {
  readonly stop: AbortController;
  readonly done: Promise<void>;
}

/** Claims runs, executes them side by side, keeps their leases, and hands them back when the process stops. */
@Injectable()
export class RunWorker implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(RunWorker.name);
  private readonly shutdown = new AbortController();
  private readonly executing = new Map<RunKey, Executing>();
  /** Runs that are being taken; never rejects. */
  private readonly taking = new Map<RunKey, Promise<void>>();
  private readonly timers: NodeJS.Timeout[] = [];
  private claiming = false;
  /** Never rejects. */
  private claims: Promise<void> = Promise.resolve();
  private claimAgain = false;
  /** Whether a run was left alone that this worker may have room for when the next one is done. */
  private claimNext = false;

  constructor(
    private readonly leases: RunLeases,
    private readonly execution: ExecuteRun,
    private readonly notifications: Notifications,
    private readonly gate: ReadGate,
    private readonly configuration: Configuration,
    private readonly draining: Draining,
  ) {}

  onApplicationBootstrap(): void {
    // While this process answers its last requests, another one can go on with its runs already.
    this.draining.signal.addEventListener('abort', () => this.shutdown.abort(), { once: true });
    this.notifications.on(workChannel, (runKey) => this.look(asId(runKey)));
    this.notifications.on(stopChannel, (runKey) => this.stop(asId<RunKey>(runKey)));
    this.timers.push(setInterval(() => void this.claim(), lookEveryMs));
    this.timers.push(setInterval(() => void this.renew(), leaseRenewMs));
  }

  /**
   * Claims no more, breaks off what is executed here and gives its leases back. That is waited for a little: the lease of a run whose
   * tool does not stop ends by itself, as if the process had died.
   */
  async onModuleDestroy(): Promise<void> {
    this.shutdown.abort();
    await Promise.all([this.claims, ...this.taking.values()]);
    const executed = [...this.executing.values()].map(({ done }) => done);
    if (!(await settledWithin(executed, leaveAfterMs))) this.logger.warn('runs are left in the middle of a call');
    for (const timer of this.timers) clearInterval(timer);
  }

  /**
   * Takes a run that this process has just started or resumed, unless it executes many or somebody has it: sooner than a worker claims it,
   * which one does where this fails. Never throws.
   */
  async take(run: ClaimableRun): Promise<void> {
    if (this.shutdown.signal.aborted) return;
    const { runKey } = run;
    if (this.room <= 0 || this.isHere(runKey) || this.executing.size + this.taking.size >= takenHereMax) {
      this.claimNext = true;
      return;
    }
    const taking = this.takeLease(run).finally(() => this.taking.delete(runKey));
    this.taking.set(runKey, taking);
    await taking;
  }

  /** Stops a run, if it is executed here. */
  stop(runKey: RunKey): void {
    this.executing.get(runKey)?.stop.abort();
  }

  private async takeLease(run: ClaimableRun): Promise<void> {
    try {
      if (!(await this.leases.take(run.runKey))) return;
      if (this.shutdown.signal.aborted) await this.leases.release(run.runKey);
      else this.begin(run);
    } catch (error) {
      // It is claimed when the row is there.
      this.logger.warn(`a run could not be taken: ${String(error)}`);
    }
  }

  /** Claims what there is, told that a run can be claimed; of one that is here already, nothing is to be done. */
  private look(runKey: RunKey): void {
    if (!this.isHere(runKey)) void this.claim();
  }

  private isHere(runKey: RunKey): boolean {
    return this.executing.has(runKey) || this.taking.has(runKey);
  }

  private get room(): number {
    return this.configuration.env.EXECUTION_CAPACITY - this.executing.size - this.taking.size;
  }

  /** Claims as many runs as there is room for; a call during a call makes it look once more. */
  private async claim(): Promise<void> {
    this.claimAgain = true;
    if (this.claiming) return;
    this.claiming = true;
    this.claims = this.claimAll();
    await this.claims;
  }

  private async claimAll(): Promise<void> {
    try {
      while (this.claimAgain && !this.shutdown.signal.aborted) {
        this.claimAgain = false;
        await this.claimOnce();
      }
    } catch (error) {
      // The next look is half a second away.
      this.logger.warn(`no runs could be claimed: ${String(error)}`);
    } finally {
      this.claiming = false;
    }
  }

  private async claimOnce(): Promise<void> {
    const { room } = this;
    if (room <= 0) this.claimNext = true;
    const claimed = room > 0 ? await this.leases.claim(room) : [];
    if (this.shutdown.signal.aborted) for (const { runKey } of claimed) await this.leases.release(runKey);
    else for (const run of claimed) this.begin(run);
  }

  private begin(run: ClaimableRun): void {
    // Its lease was lost and won again while it is still executed here: the fence decides which of the two goes on.
    if (this.executing.has(run.runKey)) return;
    const stop = new AbortController();
    const done = this.run(run, stop.signal).finally(() => this.leave(run.runKey));
    this.executing.set(run.runKey, { stop, done });
  }

  private leave(runKey: RunKey): void {
    this.executing.delete(runKey);
    if (!this.claimNext) return;
    this.claimNext = false;
    void this.claim();
  }

  private async run(run: ClaimableRun, stop: AbortSignal): Promise<void> {
    try {
      const execution = await this.execution.execute(run, { stop, shutdown: this.shutdown.signal });
      // Only then is the run no longer listed as one to execute.
      if (execution.kind === 'over') await this.gate.waitForProjection(execution.position);
      await this.leases.release(
        run.runKey,
        execution.kind === 'over' || this.shutdown.signal.aborted ? 0 : retryAfterMs,
      );
    } catch (error) {
      this.logger.error(`run ${run.runKey} could not go on here and will be claimed again`, error);
      await this.leases.release(run.runKey, retryAfterMs).catch(() => undefined); // the lease ends by itself
    }
  }

  private async renew(): Promise<void> {
    try {
      for (const runKey of await this.leases.renew([...this.executing.keys()])) this.stop(runKey);
    } catch (error) {
      this.logger.warn(`leases were not renewed: ${String(error)}`);
    }
  }
}
