import { createHmac, randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { canonicalText } from '@app/canonical';
import { FoldedStates, Streams } from '@app/event-store';
import { derivedIdOf, type Identity, type KnownIdentity } from '@app/http';
import {
  asId,
  because,
  causeOfService,
  Clock,
  ok,
  refuse,
  type IdentityId,
  type Result,
  type UserId,
} from '@app/kernel';
import { keysDestroyed, Notifications } from '@app/read-store';
import { identityKeyId, KeyDestroyed, KeyRing, KeyStore } from '@app/sealing';
import { LRUCache } from 'lru-cache';
import { IdentityKey } from './identity-key';
import type { IdentityState } from './identity.decider';
import { identityKind } from './identity.stream';
import { userKind } from './user.stream';

/** Most identities whose users a process remembers, each some 300 bytes. */
const knownMax = 50_000;

/** Finds out which user an identity is; knows no issuer and no subject but those of the present calls. */
@Injectable()
export class Identities {
  private hashKey: Buffer | null = null;
  /** An identity stays the same user until it is erased, so nothing here grows old. */
  private readonly known = new LRUCache<IdentityId, UserId>({ max: knownMax });

  /** Grows whenever something is forgotten: a read that began before is not remembered. */
  private forgettings = 0;

  constructor(
    private readonly streams: Streams,
    private readonly states: FoldedStates,
    private readonly keys: KeyRing,
    private readonly keyStore: KeyStore,
    private readonly hashKeys: IdentityKey,
    private readonly clock: Clock,
    notifications: Notifications,
  ) {
    notifications.on(keysDestroyed, (userId) => {
      this.forgettings += 1;
      for (const [id, known] of this.known.entries()) if (known === userId) this.known.delete(id);
    });
    notifications.onReconnected(() => {
      this.forgettings += 1;
      this.known.clear();
    });
  }

  /** Returns the id of an identity; only the first call waits, for the key of the deployment. @throws Unavailable */
  idOf(identity: Identity): IdentityId | Promise<IdentityId> {
    return this.hashKey === null ? this.idUnderReadKey(identity) : hashed(this.hashKey, identity);
  }

  /** Returns the user of an identity that this process has seen before; undefined if it must be read. */
  peek(id: IdentityId): UserId | undefined {
    return this.known.get(id);
  }

  /** Returns an identity as of now; that of an account which an earlier version made counts as opened. @throws Unavailable, DamagedStream */
  async find(identity: KnownIdentity): Promise<IdentityState> {
    const { forgettings } = this;
    const { state } = await this.states.fresh(identityKind, identity.id);
    const userId = state.status === 'absent' ? await this.earlierAccountOf(identity) : state.userId;
    if (userId === null) return state;
    this.remember(identity.id, userId, forgettings);
    return { status: 'opened', userId };
  }

  /**
   * Returns the user of an identity, which is a new one if it has none. However many call at once, they get the same one. Refuses with
   * `account_disabled` where it was erased. @throws Unavailable, DamagedStream
   */
  async open(identity: KnownIdentity): Promise<Result<UserId>> {
    const { forgettings } = this;
    const opened = await this.openOrFind(identity);
    if (opened.ok) this.remember(identity.id, opened.value, forgettings);
    else this.known.delete(identity.id);
    return opened;
  }

  private remember(id: IdentityId, userId: UserId, forgettings: number): void {
    if (forgettings === this.forgettings) this.known.set(id, userId);
  }

  private async openOrFind(identity: KnownIdentity): Promise<Result<UserId>> {
    const { state } = await this.states.fresh(identityKind, identity.id);
    if (state.status === 'erased') return refuse(because('account_disabled'));
    if (state.userId !== null) return ok(state.userId);
    try {
      return await this.openAs(identity.id, await this.nextUserOf(identity));
    } catch (error) {
      // The account of an earlier version is erased, and its identity was not known then.
      if (error instanceof KeyDestroyed) return refuse(because('account_disabled'));
      throw error;
    }
  }

  private async openAs(id: IdentityId, userId: UserId): Promise<Result<UserId>> {
    // Nothing of the request: its ids are in the events of the user as well, and would lead from one stream to the other after an erasure.
    const cause = causeOfService('users', randomUUID());
    const command = { type: 'OpenIdentity', at: this.clock.now(), userId } as const;
    const done = await this.streams.decide(identityKind, id, command, cause);
    if (!done.ok) return refuse(done.refusal);
    const { state } = done.value;
    if (state.userId === null) throw new Error('an identity was opened without a user');
    return ok(state.userId);
  }

  /**
   * Returns the user that an unopened identity is opened with. The row of its key decides between callers that race, so that the key is
   * destroyed with those of the very user that the stream names.
   */
  private async nextUserOf(identity: KnownIdentity): Promise<UserId> {
    const keyId = identityKeyId(identity.id);
    const userId = (await this.earlierAccountOf(identity)) ?? asId<UserId>(randomUUID());
    await this.keys.keyOf({ keyId, userId });
    return (await this.keyStore.ownerOf(keyId)) ?? userId;
  }

  /** Returns the account that an earlier version made, whose id derives from the identity; null if there is none. */
  private async earlierAccountOf(identity: Identity): Promise<UserId | null> {
    const userId = asId<UserId>(derivedIdOf(identity));
    const { state } = await this.states.fresh(userKind, userId);
    return state.status === 'absent' ? null : userId;
  }

  private async idUnderReadKey(identity: Identity): Promise<IdentityId> {
    this.hashKey ??= await this.hashKeys.key();
    return hashed(this.hashKey, identity);
  }
}

/** The name of an identity in every store: HMAC-SHA256 over the JCS form (RFC 8785) of `[issuer, subject]`. */
function hashed(key: Buffer, { issuer, subject }: Identity): IdentityId {
  return asId<IdentityId>(
    createHmac('sha256', key)
      .update(canonicalText([issuer, subject]))
      .digest('hex'),
  );
}
