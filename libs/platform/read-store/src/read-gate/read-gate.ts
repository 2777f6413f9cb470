import type { EventStore, ReadModels } from '@app/event-store';
import { NotInEffect, Unavailable } from '@app/kernel';
import type { Metrics } from '@app/runtime';
import { Counter } from 'prom-client';
import type { Notifications } from '../postgres/notifications';
import { progressIn, projectedChannel, type Progress } from '../projecting/progress';

/** How long an answered write waits for the read models (docs/decisions/conventions.md, "Read-your-writes"). */
const writeWaitMs = 2_000;
/** How long a lookup that found nothing waits for the read models to reach the store's end. */
const lookUpWaitMs = 250;
/** After this much silence of a projector, no write waits. */
const silenceMs = 2_000;

interface Heard {
  position: number;
  readonly atMs: number;
}

/** Progress of one program's projectors, as they announced it. Partitions that have announced nothing yet are absent. */
interface HeardOfProgram {
  readonly count: number;
  readonly partitions: Map<number, Heard>;
}

const nothing: HeardOfProgram = { count: 1, partitions: new Map() };
const behind = new Error('the read models are behind');

/** Makes a write visible to the very next read, on any replica. */
export class ReadGate implements ReadModels {
  private readonly waiting = new Set<{ position: number; pass: () => void }>();
  private readonly late: Counter;
  /** Announced progress by program. */
  private readonly heard = new Map<number, HeardOfProgram>();

  /**
   * @param categories categories of streams that the read models consist of
   * @param followers the programs that fill the tables that are read here
   */
  constructor(
    notifications: Notifications,
    private readonly store: EventStore,
    metrics: Metrics,
    private readonly categories: readonly string[],
    private readonly followers: () => ReadonlySet<number>,
  ) {
    this.late = new Counter({
      name: 'parley_read_gate_late_total',
      help: 'Writes that were answered before the read models had passed them',
      registers: [metrics.registry],
    });
    notifications.on(projectedChannel, (payload) => {
      const progress = progressIn(payload);
      if (progress !== null) this.noteProjected(progress);
    });
    // A crash of PostgreSQL loses the last projected writes; the read models' position must be announced again.
    notifications.onReconnected(() => {
      for (const { partitions } of this.heard.values()) for (const heard of partitions.values()) heard.position = 0;
    });
  }

  /** Whether the projectors of everything that is read here have announced themselves lately. */
  get projecting(): boolean {
    const since = performance.now() - silenceMs;
    return this.followed.every((heard) => heard !== undefined && heard.atMs > since);
  }

  /** The lowest announced position of everything that is read here. */
  private get projected(): number {
    return Math.min(...this.followed.map((heard) => heard?.position ?? 0));
  }

  private get followed(): (Heard | undefined)[] {
    return [...this.followers()].flatMap((program) => {
      const { count, partitions } = this.heard.get(program) ?? nothing;
      return Array.from({ length: count }, (_, partition) => partitions.get(partition));
    });
  }

  /** Waits until the read models have passed the position; after 2 s the write is counted as late and continues. */
  async waitForProjection(position: number | null): Promise<void> {
    if (position === null || this.projected >= position) return;
    if (!this.projecting || !(await this.waitFor(position, writeWaitMs))) this.late.inc();
  }

  /** Waits as `waitForProjection` does, for everything that is in the store now. Throws Unavailable. */
  async passedAll(): Promise<void> {
    await this.waitForProjection(await this.end());
  }

  /**
   * Waits until a change that was just decided applies to requests. It waits for the whole store, because another request may have
   * recorded the change, so that this one has no position to wait for. @throws NotInEffect if the read model still lacks the change
   */
  async untilInEffect(readModel: string, isInEffect: () => Promise<boolean>): Promise<void> {
    if (await isInEffect()) return;
    await this.passedAll();
    if (!(await isInEffect())) throw new NotInEffect(readModel);
  }

  /**
   * Finds a row; if there is none, tries once more after the read models have reached the store's present end (at most 250 ms later), so
   * that an id learned from a stream can be read at once. Throws Unavailable if there is still none and a working projector has not reached
   * the end: the row may be among the missing events.
   * @example
   * await this.gate.find(async () => (await this.database.query<UserRow>(byId, [userId]))[0] ?? null)
   */
  async find<Row>(lookUp: () => Promise<Row | null>): Promise<Row | null> {
    const found = await lookUp();
    if (found !== null) return found;
    const isCaughtUp = await this.caughtUp();
    const foundLater = await lookUp();
    if (foundLater === null && !isCaughtUp && this.projecting) throw new Unavailable('database', { cause: behind });
    return foundLater;
  }

  /** Waits until the read models have reached the store's present end, at most 250 ms; false if they have not. Throws Unavailable. */
  async caughtUp(): Promise<boolean> {
    return this.waitFor(await this.end(), lookUpWaitMs);
  }

  /** Records that the projector of some partitions of a program has passed the position. */
  noteProjected({ program, position, count, held }: Progress): void {
    const known = this.heard.get(program);
    // After a change of the number of partitions, the progress of the new ones is unknown.
    const { partitions } = known?.count === count ? known : { partitions: new Map<number, Heard>() };
    for (const partition of held) {
      const before = partitions.get(partition)?.position ?? 0;
      partitions.set(partition, { position: Math.max(before, position), atMs: performance.now() });
    }
    this.heard.set(program, { count, partitions });
    const { projected } = this;
    for (const waiter of this.waiting) {
      if (waiter.position > projected) continue;
      this.waiting.delete(waiter);
      waiter.pass();
    }
  }

  /** Not the end of the whole store: the projector sees only its categories, and a server need not report that it has passed others. */
  private async end(): Promise<number> {
    return this.store.endPositionOf(this.categories, this.projected);
  }

  private async waitFor(position: number, withinMs: number): Promise<boolean> {
    if (this.projected >= position) return true;
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.waiting.delete(waiter);
        resolve(false);
      }, withinMs);
      const waiter = {
        position,
        pass: () => {
          clearTimeout(timer);
          resolve(true);
        },
      };
      this.waiting.add(waiter);
    });
  }
}
