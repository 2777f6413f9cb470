import type { Schemas } from './types.js';

/** `{erased: true}`, in place of a person's words whose key the service has destroyed. It never changes back. */
export type Erased = Schemas['Erased'];

/** The text that the adapters of chats show in place of erased words. */
export const erasedText = '[erased]';

/** Whether a member has no words any more, because they were erased: `if (isErased(conversation.title)) …`. */
export function isErased(value: unknown): value is Erased {
  if (typeof value !== 'object' || value === null || !('erased' in value)) return false;
  // A tool may return a member of this name next to others, which is no erasure.
  return value.erased === true && Object.keys(value).length === 1;
}

/** Returns the words of a member, or `instead` where they were erased: `wordsOr(message.text, '(removed)')`. */
export function wordsOr<Value, Other>(value: Value, instead: Other): Exclude<Value, Erased> | Other {
  // Reason for the assertion: TypeScript does not exclude the erased form from a type parameter by itself.
  return isErased(value) ? instead : (value as Exclude<Value, Erased>);
}
