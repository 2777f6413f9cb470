import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { DamagedStream, failureWords, parseUuid, type UserId } from '@app/kernel';
import { Database, keepLeading, Notifications } from '@app/read-store';
import { LRUCache } from 'lru-cache';
import { setTimeout as sleep } from 'node:timers/promises';
import { ErasureSteps } from './erasure-steps';
import { erasureWanted } from './request-erasure';

/** Real time: how often erasures that have to wait are tried again, and those that nobody was notified of are found. */
const sweepEveryMs = 1_000;
/** Erasures at a time; one that waits for money takes no place in between. */
const atOnceMax = 8;
/** Open erasures that one sweep looks at, oldest first. */
const foundMax = 200;

/** Carries out erasures, in one process of the deployment. */
@Injectable()
export class ErasureWork implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(ErasureWork.name);
  private readonly stopping = new AbortController();
  private readonly wanted = new Set<UserId>();
  private readonly running = new Map<UserId, Promise<void>>();
  /** The last failure of each erasure that was logged; it is not logged again each second. */
  private readonly said = new LRUCache<UserId, string>({ max: foundMax });
  private work: Promise<void> = Promise.resolve();
  private wake = (): void => undefined;

  constructor(
    private readonly database: Database,
    private readonly notifications: Notifications,
    private readonly steps: ErasureSteps,
  ) {}

  onApplicationBootstrap(): void {
    const { leaderSession } = this.database;
    const stopListening = this.notifications.on(erasureWanted, (payload) => {
      const userId = parseUuid<UserId>(payload);
      if (userId !== null && this.wanted.size < foundMax) this.wanted.add(userId);
      this.wake();
    });
    this.work = keepLeading(leaderSession, 'erasures', this.stopping.signal, (leading) => this.lead(leading)).finally(
      stopListening,
    );
  }

  async onModuleDestroy(): Promise<void> {
    this.stopping.abort();
    await this.work;
  }

  private async lead(leading: AbortSignal): Promise<void> {
    leading.addEventListener('abort', () => this.wake(), { once: true });
    try {
      let sweepAtMs = -Infinity;
      while (!leading.aborted) {
        const woken = new AbortController();
        this.wake = () => woken.abort();
        if (performance.now() >= sweepAtMs) {
          await this.sweep();
          sweepAtMs = performance.now() + sweepEveryMs;
        }
        this.begin(leading);
        if (!leading.aborted) await sleep(sweepEveryMs, undefined, { signal: woken.signal }).catch(() => undefined); // woken
      }
    } finally {
      await Promise.all(this.running.values());
    }
  }

  /** Begins those that are wanted, as far as there are places. */
  private begin(leading: AbortSignal): void {
    for (const userId of this.wanted) {
      if (this.running.size >= atOnceMax) return;
      this.wanted.delete(userId);
      if (this.running.has(userId)) continue;
      const done = this.tried(userId, leading).finally(() => this.running.delete(userId));
      this.running.set(userId, done);
    }
  }

  private async tried(userId: UserId, leading: AbortSignal): Promise<void> {
    try {
      await this.steps.advance(userId, leading);
      this.said.delete(userId);
    } catch (error) {
      const words = failureWords(error);
      if (leading.aborted || this.said.get(userId) === words) return;
      this.said.set(userId, words);
      const what = error instanceof DamagedStream ? 'an erasure meets a damaged stream' : 'an erasure is tried again';
      this.logger.warn({ msg: `${what}: ${words}`, userId });
    }
  }

  private async sweep(): Promise<void> {
    const rows = await this.database.query<{ readonly userId: UserId }>(
      'SELECT user_id AS "userId" FROM {erasures} WHERE is_open ORDER BY requested_at LIMIT $1',
      [foundMax],
    );
    for (const { userId } of rows) this.wanted.add(userId);
  }
}
