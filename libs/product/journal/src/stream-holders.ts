import { Injectable } from '@nestjs/common';
import { Accounts, PartnerKeys } from '@app/http';
import { Clock, epochMsOf, type Instant, type PartnerKeyId, type UserId } from '@app/kernel';
import { Configuration } from '@app/runtime';

const accountsPerQueryMax = 500;

/** For whom a stream is open. */
export interface StreamHolder {
  readonly userId: UserId;
  readonly issuer: string;
  readonly tokenExpiresAt: Instant;
  readonly partnerKeyId: PartnerKeyId;
}

/** Tells who may not hold a stream any longer. */
@Injectable()
export class StreamHolders {
  constructor(
    private readonly accounts: Accounts,
    private readonly keys: PartnerKeys,
    private readonly clock: Clock,
    private readonly configuration: Configuration,
  ) {}

  /** Those whose token has expired, whose partner key was revoked, or whose account is gone or disabled. Throws Unavailable. */
  async findRevoked<Holder extends StreamHolder>(holders: readonly Holder[]): Promise<Holder[]> {
    if (holders.length === 0) return [];
    const live = await this.keys.live([...new Set(holders.map((holder) => holder.partnerKeyId))]);
    const enabled = await this.enabledOf([...new Set(holders.map((holder) => holder.userId))]);
    return holders.filter(
      (holder) => this.isExpired(holder) || !live.has(holder.partnerKeyId) || !enabled.has(holder.userId),
    );
  }

  private async enabledOf(users: readonly UserId[]): Promise<ReadonlySet<UserId>> {
    const enabled = new Set<UserId>();
    for (let from = 0; from < users.length; from += accountsPerQueryMax) {
      const found = await this.accounts.findMany(users.slice(from, from + accountsPerQueryMax));
      for (const [userId, { disabled }] of found) if (!disabled) enabled.add(userId);
    }
    return enabled;
  }

  /** As requests see it. Only the sandbox's own issuer lives by the service clock (docs/decisions/sandbox.md). */
  private isExpired({ issuer, tokenExpiresAt }: StreamHolder): boolean {
    const nowMs = this.configuration.isOwnIssuer(issuer) ? this.clock.epochMs() : Date.now();
    return epochMsOf(tokenExpiresAt) + this.configuration.clockSkewMsOf(issuer) <= nowMs;
  }
}
