import { Injectable } from '@nestjs/common';
import { Accounts } from '@app/http';
import { Clock, epochMsOf, type Instant, type UserId } from '@app/kernel';
import { Configuration } from '@app/runtime';

const accountsPerQueryMax = 500;

/** For whom a stream is open. */
export interface StreamHolder {
  readonly userId: UserId;
  readonly tokenExpiresAt: Instant;
}

/** Tells who may not hold a stream any longer. */
@Injectable()
export class StreamHolders {
  constructor(
    private readonly accounts: Accounts,
    private readonly clock: Clock,
    private readonly configuration: Configuration,
  ) {}

  /** Those whose token has expired, or whose account is gone or disabled. Throws Unavailable. */
  async lost<Holder extends StreamHolder>(holders: readonly Holder[]): Promise<Holder[]> {
    const nowMs = this.tokenClockMs();
    const expired = holders.filter((holder) => epochMsOf(holder.tokenExpiresAt) <= nowMs);
    const users = [...new Set(holders.map((holder) => holder.userId))];
    const enabled = new Set<UserId>();
    for (let from = 0; from < users.length; from += accountsPerQueryMax) {
      const found = await this.accounts.findMany(users.slice(from, from + accountsPerQueryMax));
      for (const [userId, { disabled }] of found) if (!disabled) enabled.add(userId);
    }
    return [...new Set([...expired, ...holders.filter((holder) => !enabled.has(holder.userId))])];
  }

  /** Only the sandbox's own issuer lives by the service clock (docs/decisions/sandbox.md). */
  private tokenClockMs(): number {
    return this.configuration.ownIssuer ? this.clock.epochMs() : Date.now();
  }
}
