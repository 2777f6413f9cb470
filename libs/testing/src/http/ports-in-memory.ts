import {
  Accounts,
  PartnerKeys,
  RateWindows,
  type AccountState,
  type Identity,
  type IdentityAccount,
  type KnownIdentity,
  type KnownPartnerKey,
  type RateAnswer,
  type RateSubject,
} from '@app/http';
import { asId, Clock, Unavailable, type IdentityId, type PartnerKeyId, type UserId } from '@app/kernel';
import { hash, randomUUID } from 'node:crypto';

/** A service clock that only changes when a test sets it. */
export class SetClock extends Clock {
  nowMs = Date.now();
  epochMs(): number {
    return this.nowMs;
  }
}

export class KeysInMemory extends PartnerKeys {
  readonly keys = new Map<string, KnownPartnerKey>();
  away = false;
  /** The number of queries so far, and of the keys in them. */
  calls = 0;
  asked = 0;
  async findMany(digests: readonly string[]): Promise<ReadonlyMap<string, KnownPartnerKey>> {
    if (this.away) throw new Unavailable('database');
    this.calls += 1;
    this.asked += digests.length;
    await new Promise((resolve) => setTimeout(resolve, 1));
    return new Map(
      digests.flatMap((digest) => {
        const known = this.keys.get(digest);
        return known === undefined ? [] : [[digest, known]];
      }),
    );
  }
  private readonly listeners: ((keyId: PartnerKeyId) => void)[] = [];
  onRevoked(listener: (keyId: PartnerKeyId) => void): void {
    this.listeners.push(listener);
  }
  /** Reports that a key was revoked in this process. */
  tellRevoked(keyId: PartnerKeyId): void {
    for (const listener of this.listeners) listener(keyId);
  }
  async live(keyIds: readonly PartnerKeyId[]): Promise<ReadonlySet<PartnerKeyId>> {
    const live = new Set([...this.keys.values()].map(({ keyId }) => keyId));
    return new Set(keyIds.filter((keyId) => live.has(keyId)));
  }
  add(key: string, feed = false): void {
    this.keys.set(hash('sha256', key), { keyId: asId<PartnerKeyId>(`id-of-${key}`), feed });
  }
  revoke(key: string): void {
    this.keys.delete(hash('sha256', key));
  }
}

/** Accounts of identities that tests add; an identity's id is as readable as a test needs it. */
export class AccountsInMemory extends Accounts {
  readonly states = new Map<UserId, AccountState>();
  readonly users = new Map<IdentityId, UserId>();
  calls = 0;
  constructor(private readonly answerMs = 5) {
    super();
  }
  identityIdOf({ issuer, subject }: Identity): IdentityId {
    return asId<IdentityId>(`${issuer}|${subject}`);
  }
  /** Returns the user of an identity, with an account that is not disabled. */
  add(issuer: string, subject: string): UserId {
    const id = this.identityIdOf({ issuer, subject });
    const userId = this.users.get(id) ?? asId<UserId>(randomUUID());
    this.users.set(id, userId);
    this.states.set(userId, { disabled: false });
    return userId;
  }
  async findByIdentity(identities: readonly KnownIdentity[]): Promise<ReadonlyMap<IdentityId, IdentityAccount>> {
    const users = identities.flatMap(({ id }) => (this.users.has(id) ? [[id, this.users.get(id)!] as const] : []));
    const states = await this.findMany(users.map(([, userId]) => userId));
    return new Map(
      users.flatMap(([id, userId]) => (states.has(userId) ? [[id, { userId, ...states.get(userId)! }]] : [])),
    );
  }
  async findMany(userIds: readonly UserId[]): Promise<ReadonlyMap<UserId, AccountState>> {
    this.calls += 1;
    await new Promise((resolve) => setTimeout(resolve, this.answerMs));
    return new Map(userIds.flatMap((id) => (this.states.has(id) ? [[id, this.states.get(id)!]] : [])));
  }
}

/** Windows that never end, which is long enough for a test. */
export class WindowsInMemory extends RateWindows {
  readonly used = new Map<string, number>();
  async consume(subjects: readonly RateSubject[]): Promise<readonly RateAnswer[]> {
    const answers: RateAnswer[] = [];
    for (const { subject, limit, weight = 1 } of subjects) {
      const used = this.used.get(subject) ?? 0;
      const admitted = used + weight <= limit;
      if (admitted) this.used.set(subject, used + weight);
      const remaining = admitted ? limit - used - weight : limit - used;
      answers.push({ admitted, remaining, resetSeconds: 60, waitSeconds: admitted ? 0 : 60 });
      if (!admitted) break;
    }
    return answers;
  }
}
