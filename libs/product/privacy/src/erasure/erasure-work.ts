import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { asId, DamagedStream, failureWords, parseUuid, type UserId } from '@app/kernel';
import { Database, keepLeading, Notifications } from '@app/read-store';
import { LRUCache } from 'lru-cache';
import { setTimeout as sleep } from 'node:timers/promises';
import { ErasureSteps } from './erasure-steps';
import { erasureWanted } from './request-erasure';
import { usersWithRestoredKeys } from '../restored-keys';

/** Real time: how often erasures that have to wait are tried again, and those whose notification was lost are found. */
const sweepEveryMs = 1_000;
/** Real time: how often keys of erased users are searched for, which are there again after a restore of older keys. */
const restoredEveryMs = 20_000;
/** Erasures at a time; one that waits for money takes no place in between. */
const atOnceMax = 8;
/** Erasures at a time of which this process was notified: their keys do not wait for those that are tried again. */
const askedAtOnceMax = 2 * atOnceMax;
/** A bound on notifications that wait; the sweep finds the others. */
const askedMax = 10_000;
/** Open erasures that one sweep reads, oldest first; the next sweep goes on after them. */
const foundMax = 200;
/** The place before the oldest erasure. */
const noneYet = { requestedAt: '', userId: '00000000-0000-0000-0000-000000000000' };

/** Carries out erasures, in one process of the deployment. */
@Injectable()
export class ErasureWork implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(ErasureWork.name);
  private readonly stopping = new AbortController();
  /** Users that a notification named. */
  private readonly asked = new Set<UserId>();
  /** Users that the sweep found. */
  private readonly found = new Set<UserId>();
  /** The last erasure that the sweep found. */
  private passed: FoundErasure = noneYet;
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
      if (userId !== null && this.asked.size < askedMax) this.asked.add(userId);
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
      let [sweepAtMs, restoredAtMs] = [-Infinity, -Infinity];
      while (!leading.aborted) {
        const woken = new AbortController();
        this.wake = () => woken.abort();
        if (performance.now() >= sweepAtMs) {
          await this.sweep();
          sweepAtMs = performance.now() + sweepEveryMs;
        }
        if (performance.now() >= restoredAtMs) {
          await this.sweepRestored();
          restoredAtMs = performance.now() + restoredEveryMs;
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
    this.beginEach(this.asked, askedAtOnceMax, leading);
    this.beginEach(this.found, atOnceMax, leading);
  }

  private beginEach(wanted: Set<UserId>, runningMax: number, leading: AbortSignal): void {
    for (const userId of wanted) {
      if (this.running.size >= runningMax) return;
      wanted.delete(userId);
      if (this.running.has(userId)) continue;
      const done = this.tried(userId, leading).finally(() => {
        this.running.delete(userId);
        // The next one takes the place.
        this.wake();
      });
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

  /** Reads some open erasures after those of the sweep before, and begins with the oldest again after the last. */
  private async sweep(): Promise<void> {
    const { requestedAt, userId } = this.passed;
    const rows = await this.database.query<FoundErasure>(
      `SELECT user_id AS "userId", requested_at AS "requestedAt" FROM {erasures}
       WHERE is_open AND (requested_at, user_id) > ($1, $2::uuid) ORDER BY requested_at, user_id LIMIT $3`,
      [requestedAt, userId, foundMax],
    );
    for (const row of rows) this.found.add(asId<UserId>(row.userId));
    this.passed = (rows.length < foundMax ? undefined : rows.at(-1)) ?? noneYet;
  }

  private async sweepRestored(): Promise<void> {
    for (const userId of await usersWithRestoredKeys(this.database, foundMax)) this.found.add(userId);
  }
}

interface FoundErasure {
  readonly requestedAt: string;
  readonly userId: string;
}
