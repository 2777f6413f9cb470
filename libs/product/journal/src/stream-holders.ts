import { Injectable } from '@nestjs/common';
import { Accounts, PartnerKeys } from '@app/http';
import { Clock, epochMsOf, type Instant, type PartnerKeyId, type UserId } from '@app/kernel';
import { Configuration } from '@app/settings';

const accountsPerQueryMax = 500;

/** The holder of a stream: a user, through a partner, or a partner alone. */
export type StreamHolder = UserHolder | KeyHolder;

interface KeyHolder {
  readonly partnerKeyId: PartnerKeyId;
}

interface UserHolder extends KeyHolder {
  readonly userId: UserId;
  readonly issuer: string;
  readonly tokenExpiresAt: Instant;
}

/** Finds holders that may not hold a stream any longer. */
@Injectable()
export class StreamHolders {
  constructor(
    private readonly accounts: Accounts,
    private readonly keys: PartnerKeys,
    private readonly clock: Clock,
    private readonly configuration: Configuration,
  ) {}

  /** Returns those whose token has expired, whose partner key was revoked, or whose account is gone or disabled. Throws Unavailable. */
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

  /** Decided as for requests. Only the sandbox's own issuer uses the service clock (docs/decisions/sandbox.md). */
  private isExpired({ issuer, tokenExpiresAt }: UserHolder): boolean {
    const nowMs = this.configuration.isOwnIssuer(issuer) ? this.clock.epochMs() : Date.now();
    return epochMsOf(tokenExpiresAt) + this.configuration.clockSkewMsOf(issuer) <= nowMs;
  }
}

function isUser(holder: StreamHolder): holder is UserHolder {
  return 'userId' in holder;
}
