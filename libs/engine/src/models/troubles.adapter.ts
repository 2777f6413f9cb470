import { APICallError, TypeValidationError } from 'ai';
import { isJsonObject } from '@app/kernel';
import { types } from 'node:util';
import { ProviderTrouble } from './provider';

const quotedLengthMax = 500;
/** Answers without a stream that say: not now. */
const notNow = (status: number): boolean => status >= 500 || [408, 409, 429].includes(status);
/** Frames that carry no part of an answer, but how much was used and why it ended. */
const framing: readonly unknown[] = ['message_start', 'message_delta'];

/** What an error of the SDK's comes to. The message quotes the provider, but never the key, which providers like to repeat. */
export function troubleOf(error: unknown, apiKey: string | undefined): ProviderTrouble {
  const quote = (words: string) =>
    (apiKey === undefined ? words : words.replaceAll(apiKey, '[key]')).slice(0, quotedLengthMax);
  if (APICallError.isInstance(error)) {
    const { statusCode, responseHeaders, responseBody, message, cause } = error;
    if (statusCode === undefined) return new ProviderTrouble(quote(`not reached: ${message}`), true);
    // An answer that began well: what is wrong with it is the cause.
    if (statusCode < 400 && cause !== undefined) return troubleOf(cause, apiKey);
    const words = quote(`status ${statusCode}: ${responseBody ?? message}`);
    return new ProviderTrouble(words, notNow(statusCode), retryAfterMs(responseHeaders ?? {}));
  }
  if (types.isNativeError(error)) {
    // A connection that is refused or breaks in the middle comes as a TypeError of fetch.
    if (error.name === 'TypeError') return new ProviderTrouble(quote(`broke off: ${wordsOf(error)}`), true);
    return new ProviderTrouble(quote(`not understood: ${wordsOf(error)}`), false);
  }
  return new ProviderTrouble(quote(`an error in its answer: ${JSON.stringify(error)}`), true);
}

/** Whether it is only a frame that tells no usage where its format demands one: nothing of the answer is lost with it. */
export function isOfFraming(error: unknown): boolean {
  return TypeValidationError.isInstance(error) && isJsonObject(error.value) && framing.includes(error.value['type']);
}

/** RFC 9110, section 10.2.3: seconds, or a date. */
function retryAfterMs({ 'retry-after': value }: Record<string, string>): number | null {
  if (value === undefined) return null;
  if (/^\d{1,6}$/.test(value)) return Number(value) * 1000;
  const atMs = Date.parse(value);
  return Number.isNaN(atMs) ? null : Math.max(0, atMs - Date.now());
}

function wordsOf({ message, cause }: Error): string {
  return types.isNativeError(cause) ? `${message}: ${cause.message}` : message;
}
