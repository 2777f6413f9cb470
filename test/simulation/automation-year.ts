import { admitNext, dueTimer, handleDue, handleRunEnded, nextDue, type AutomationState } from '@app/automations';
import { asId, instantOf, Unavailable, type AutomationId, type JsonObject, type RunId } from '@app/kernel';
import { seededRandom } from '@app/testing/journeys';
import { randomPlan, zones } from './automation-year-plans';
import { YearStreams } from './automation-year-streams';
import { runTimers, yearWorld, type SharedWorld } from './automation-year-world';
import { SimulatedTimers, type TimerRow } from './simulated-timers';
import { Stepwise, type Pause } from './stepwise';

const startMs = Date.parse('2026-01-01T00:00:00Z');
const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
/** After the year failures stop for this time, so that everything that was begun can finish. */
const calmMs = dayMs;

const schedulers = 2;
/** The largest number of handlers running in parallel in one process, as in the product. */
const runningMax = 8;
/** A timer claimed by a process that died is free after this time. */
const claimLostAfterMs = 6_000;
/** The share of steps after which a live process is taken for dead. */
const stalls = 0.01;
/**
 * The chance of a restart at each step at work once the restart is due. It happens within `restartWithinMs` in any
 * case.
 */
const restartAtWork = 0.05;
const restartWithinMs = 2 * dayMs;

interface Scheduler {
  /** A new number for each start. */
  readonly process: number;
  readonly upAtMs: number;
  readonly handlers: Set<Stepwise>;
  readonly seen: Map<AutomationId, AutomationState>;
}

/**
 * A year of automations whose due times two schedulers handle with the product's own process, over restarts at the
 * worst moments. The same seed plays the same year.
 */
export class AutomationYear implements SharedWorld {
  nowMs = startMs;
  readonly endMs: number;
  readonly streams = new YearStreams();
  readonly timers = new SimulatedTimers();
  readonly runs = new Set<RunId>();
  readonly random: () => number;
  readonly counts = { restarts: 0, lostRaces: 0, stalls: 0, refusals: 0, unavailable: 0, steps: 0 };
  /** Times in which no scheduler was up. */
  readonly outages: { readonly fromMs: number; readonly toMs: number }[] = [];
  private processes = 0;
  private schedulers: readonly Scheduler[];
  private readonly restartsAtMs: number[];

  constructor(seed: number, automations: number, restarts: number, days: number) {
    this.random = seededRandom(seed);
    this.endMs = startMs + days * dayMs;
    this.schedulers = Array.from({ length: schedulers }, () => this.started(startMs));
    const restartsAtMs = Array.from({ length: restarts }, () => startMs + this.upTo((days - 7) * dayMs));
    this.restartsAtMs = restartsAtMs.sort((one, other) => one - other);
    for (let index = 0; index < automations; index += 1) this.create(index);
  }

  get isCalm(): boolean {
    return this.nowMs > this.endMs;
  }

  async play(): Promise<void> {
    while (this.nowMs < this.endMs + calmMs) await this.step();
  }

  /** Creates an automation on the first day: the stream, then the timer. */
  private create(index: number): void {
    const createdMs = startMs + this.upTo(hourMs);
    const plan = randomPlan(this.random, zones[index % zones.length] ?? zones[0], createdMs, this.endMs);
    const { automationId, epoch, definition } = this.streams.create(index, plan, createdMs);
    const at = instantOf(createdMs);
    const first = definition.wake.kind === 'schedule' ? nextDue(definition.wake.schedule, at, at) : null;
    if (first !== null) this.timers.schedule(dueTimer(automationId, epoch, first));
  }

  private async step(): Promise<void> {
    this.counts.steps += 1;
    this.mayRestart();
    for (const scheduler of this.schedulers) this.take(scheduler);
    const handlers = this.schedulers.flatMap((scheduler) => [...scheduler.handlers]);
    const handler = handlers[this.upTo(handlers.length)];
    if (handler === undefined) return this.passTime();
    await handler.step();
    if (handler.done) for (const scheduler of this.schedulers) scheduler.handlers.delete(handler);
    const chance = this.random();
    if (chance < stalls) this.stall();
    // Most steps take next to no time; now and then one takes long.
    if (chance > 0.999) this.nowMs += this.upTo(40 * secondMs);
    else if (chance > 0.8) this.nowMs += this.upTo(100);
  }

  /** Starts handlers for timers that are due, as far as the scheduler has room. */
  private take({ process, upAtMs, handlers, seen }: Scheduler): void {
    if (upAtMs > this.nowMs) return;
    for (const row of this.timers.claim(process, this.nowMs, runningMax - handlers.size))
      handlers.add(new Stepwise((pause) => this.handle(row, seen, pause)));
  }

  /** Handles a timer as the worker does for its kind. */
  private async handle(row: TimerRow, seen: Scheduler['seen'], pause: Pause): Promise<void> {
    const { payload, kind, dueAt } = row.timer;
    const automationId = asId<AutomationId>(textIn(payload, 'automationId'));
    const world = yearWorld(this, seen, pause);
    try {
      if (kind === runTimers) await handleRunEnded(world, automationId, asId<RunId>(textIn(payload, 'runId')));
      else if (kind === 'occurrence') await admitNext(world, automationId);
      else await handleDue(world, { automationId, epoch: textIn(payload, 'epoch'), dueAt });
      await pause();
      this.timers.handled(row);
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
      this.timers.failed(row, this.nowMs);
    }
  }

  /** Advances to the next instant at which anything happens. */
  private passTime(): void {
    const starts = this.schedulers.map(({ upAtMs }) => upAtMs).filter((atMs) => atMs > this.nowMs);
    const dueMs = starts.length < schedulers ? this.timers.nextMs : Infinity;
    this.nowMs = Math.max(this.nowMs + 1, Math.min(dueMs, ...starts, this.endMs + calmMs));
  }

  /** Restarts one scheduler or both, mostly while they are at work. Their claimed timers are free again later. */
  private mayRestart(): void {
    const [atMs] = this.restartsAtMs;
    if (atMs === undefined || this.nowMs < atMs) return;
    const isAtWork = this.schedulers.some(({ handlers }) => handlers.size > 0);
    if (this.nowMs < atMs + restartWithinMs && !(isAtWork && this.random() < restartAtWork)) return;
    this.restartsAtMs.shift();
    this.counts.restarts += 1;
    const both = this.random() < 0.5;
    const isLong = this.random() < 0.2;
    const backAtMs = this.nowMs + (isLong ? 2 * hourMs + this.upTo(4 * hourMs) : secondMs + this.upTo(40 * minuteMs));
    const dying = this.counts.restarts % schedulers;
    this.schedulers = this.schedulers.map((scheduler, index) =>
      both || index === dying ? this.restarted(scheduler, backAtMs) : scheduler,
    );
    const upAtMs = Math.min(...this.schedulers.map((scheduler) => scheduler.upAtMs));
    if (upAtMs > this.nowMs) this.outages.push({ fromMs: this.nowMs, toMs: upAtMs });
  }

  /** The handlers of the dead process never continue. */
  private restarted({ process, upAtMs }: Scheduler, backAtMs: number): Scheduler {
    this.timers.released(process, this.nowMs + claimLostAfterMs);
    return this.started(Math.max(upAtMs, backAtMs));
  }

  private started(upAtMs: number): Scheduler {
    this.processes += 1;
    return { process: this.processes, upAtMs, handlers: new Set(), seen: new Map() };
  }

  /**
   * Frees the timers of a process as if it were silent for so long that the other takes it for dead; then it continues
   * where it was.
   */
  private stall(): void {
    const scheduler = this.schedulers[this.upTo(schedulers)];
    if (scheduler === undefined || scheduler.handlers.size === 0) return;
    this.counts.stalls += 1;
    this.timers.released(scheduler.process, this.nowMs);
  }

  private upTo(count: number): number {
    return Math.floor(this.random() * count);
  }
}

function textIn(payload: JsonObject, name: string): string {
  const value = payload[name];
  if (typeof value !== 'string') throw new TypeError(`the timer has no ${name}`);
  return value;
}
