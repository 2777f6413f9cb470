import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Budgets, freezeEvents } from '@app/budget';
import { EventStore, watchTypes } from '@app/event-store';
import type { UserId } from '@app/kernel';
import { LRUCache } from 'lru-cache';
import { ActiveAccounts } from '../run/approved-calls';

/** Whether runs of a user may take another step. */
export interface Standing {
  readonly isActive: boolean;
  readonly isFrozen: boolean;
}

/** A bound by count, because each is an id and two flags. */
const rememberedMax = 20_000;
/** Bounds the age, in case a silent connection has lost events unnoticed. */
const rememberedMs = 30_000;

/**
 * Accounts and freezes for the checks before every model step: read once, and cached until an event says that some account or freeze has
 * changed. While such events cannot be received, every check reads anew.
 */
@Injectable()
export class UserEligibility implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly remembered = new LRUCache<UserId, Standing>({ max: rememberedMax, ttl: rememberedMs });
  private readonly stopping = new AbortController();
  private watching: Promise<void> = Promise.resolve();
  private isLive = false;
  /** Grows with everything that may invalidate earlier reads. */
  private news = 0;

  constructor(
    private readonly store: EventStore,
    private readonly accounts: ActiveAccounts,
    private readonly budgets: Budgets,
  ) {}

  onApplicationBootstrap(): void {
    this.watching = watchTypes(this.store.tailClient, {
      types: [...this.accounts.changedBy, ...freezeEvents],
      signal: this.stopping.signal,
      onLive: () => this.forget(true),
      onEvent: () => this.forget(true),
      onLost: () => this.forget(false),
    });
  }

  async onModuleDestroy(): Promise<void> {
    this.stopping.abort();
    await this.watching;
  }

  /** @throws Unavailable */
  async of(userId: UserId): Promise<Standing> {
    return this.remembered.get(userId) ?? this.read(userId);
  }

  private async read(userId: UserId): Promise<Standing> {
    const { news } = this;
    const [isActive, { frozen: isFrozen }] = await Promise.all([
      this.accounts.isActive(userId),
      this.budgets.headroom(userId),
    ]);
    const standing = { isActive, isFrozen };
    if (this.isLive && this.news === news) this.remembered.set(userId, standing);
    return standing;
  }

  private forget(isLive: boolean): void {
    this.isLive = isLive;
    this.news += 1;
    this.remembered.clear();
  }
}
