import { Unavailable, type ConversationId, type IdentityId, type UserId } from '@app/kernel';

/** The name of a key, which sealed values hold: `u/` with a user's id, `c/` with a conversation's, and others of the same form. */
export type KeyId = string & { readonly __brand: 'KeyId' };

/** A key, and the user whose erasure destroys it. */
export interface SealedFor {
  readonly keyId: KeyId;
  /** Null for the deployment's own keys. */
  readonly userId: UserId | null;
}

/** The key under which the deployment hashes issuers and subjects. It is random, and never changes. */
export const identityHashKey: SealedFor = {
  // Reason for the assertion: `d/` is the form of the names of the deployment's own keys.
  keyId: 'd/identity' as KeyId,
  userId: null,
};

/** Words under the user's own key. @throws Error for a stream that no user has begun */
export function sealedForUser(userId: UserId | null): SealedFor {
  if (userId === null) throw new Error('words are sealed for a user, and there is none');
  return { keyId: userKeyId(userId), userId };
}

/** Words under the conversation's key. @throws Error for a stream that no user has begun */
export function sealedForConversation(conversationId: ConversationId, userId: UserId | null): SealedFor {
  return { ...sealedForUser(userId), keyId: conversationKeyId(conversationId) };
}

/** Names the key of a user's words. */
export function userKeyId(userId: UserId): KeyId {
  // Reason for the assertion: this is the only form of such a key's name.
  return `u/${userId}` as KeyId;
}

/** Names the key of a conversation's words; it derives from its user's key and a salt of its own, so both can close the words. */
export function conversationKeyId(conversationId: ConversationId): KeyId {
  // Reason for the assertion: this is the only form of such a key's name.
  return `c/${conversationId}` as KeyId;
}

/** Names the key that seals which user an identity is. */
export function identityKeyId(identityId: IdentityId): KeyId {
  // Reason for the assertion: this is the only form of such a key's name.
  return `i/${identityId}` as KeyId;
}

/** Returns the id of the conversation that the key is for; null for other keys. */
export function conversationOfKey(id: KeyId): string | null {
  return id.startsWith('c/') ? id.slice(2) : null;
}

/** The words are to be sealed under a key that was destroyed. Nothing was recorded. */
export class KeyDestroyed extends Unavailable {
  constructor(readonly keyId: KeyId) {
    super('event store', { cause: new Error(`the key ${keyId} was destroyed`) });
  }
}

/** The table of keys; the read store implements it on PostgreSQL. */
export abstract class KeyStore {
  /** Returns the keys, null for a destroyed one; an id without a key is absent. One statement. Throws Unavailable. */
  abstract read(ids: readonly KeyId[]): Promise<ReadonlyMap<KeyId, Buffer | null>>;

  /** Returns the key, which is made if there is none; null for a destroyed one. Callers that race get the same key. Throws Unavailable. */
  abstract make(sealedFor: SealedFor): Promise<Buffer | null>;

  /** Returns the user that the key was made for: that of the first caller, where several raced. Null for other keys. Throws Unavailable. */
  abstract ownerOf(id: KeyId): Promise<UserId | null>;
}
