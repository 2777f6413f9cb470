import { Injectable } from '@nestjs/common';
import { Accounts, PartnerKeys } from '@app/http';
import { Clock, epochMsOf, type Instant, type PartnerKeyId, type UserId } from '@app/kernel';
import { Configuration } from '@app/runtime';

const accountsPerQueryMax = 500;

/** For whom a stream is open: a user, through a partner, or a partner alone. */
export type StreamHolder = UserHolder | KeyHolder;

interface KeyHolder {
  readonly partnerKeyId: PartnerKeyId;
}

interface UserHolder extends KeyHolder {
  readonly userId: UserId;
  readonly issuer: string;
  readonly tokenExpiresAt: Instant;
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
    const users = holders.flatMap((holder) => (isUser(holder) ? [holder.userId] : []));
    const enabled = await this.enabledOf([...new Set(users)]);
    return holders.filter(
      (holder) =>
        !live.has(holder.partnerKeyId) || (isUser(holder) && (this.isExpired(holder) || !enabled.has(holder.userId))),
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
  private isExpired({ issuer, tokenExpiresAt }: UserHolder): boolean {
    const nowMs = this.configuration.isOwnIssuer(issuer) ? this.clock.epochMs() : Date.now();
    return epochMsOf(tokenExpiresAt) + this.configuration.clockSkewMsOf(issuer) <= nowMs;
  }
}

function isUser(holder: StreamHolder): holder is UserHolder {
  return 'userId' in holder;
}
