export { KeyRing } from './key-ring';
export {
  conversationKeyId,
  conversationOfKey,
  identityHashKey,
  identityKeyId,
  KeyDestroyed,
  KeyStore,
  sealedForConversation,
  sealedForUser,
  userKeyId,
  type KeyId,
  type SealedFor,
} from './key-store';
export { openMembers, openTexts, type Opened } from './open-members';
export {
  isSealedAt,
  isSealedValue,
  openValue,
  placeOf,
  revealValue,
  sealValue,
  type Place,
  type RevealedValue,
} from './sealed-text';
