import { APICallError, InvalidResponseDataError, NoOutputGeneratedError } from 'ai';
import { technicalWords } from '@app/kernel';
import { retryAfterMs } from '@app/runtime';
import { types } from 'node:util';
import type { ModelTrouble } from './model-troubles';
import { ProviderTrouble } from './provider';
import { outputRoomIn, refusedPart, saysContextFull } from './refusals';

const quotedLengthMax = 500;
/** Statuses of answers without a stream that allow another attempt later. */
const notNow = (status: number): boolean => status >= 500 || [408, 409, 429].includes(status);
/** A shorter header is no secret; removing it would spoil the words. */
const secretLengthMin = 4;

/**
 * Translates an error of the SDK. The message has the technical words of the provider: never the secrets, nor what a person wrote, both of
 * which providers like to repeat.
 * @param sentLimit the output limit of the request; null where it had none
 */
export function troubleOf(error: unknown, secrets: readonly string[], sentLimit: number | null): ProviderTrouble {
  const quote = (words: string) => technicalWords(withoutSecrets(words, secrets)).slice(0, quotedLengthMax);
  if (APICallError.isInstance(error)) {
    const { statusCode, message, cause } = error;
    if (statusCode === undefined) return new ProviderTrouble('not_reached', quote(`not reached: ${message}`), true);
    // An answer with a good status, whose cause says what is wrong with it.
    if (statusCode < 400 && cause !== undefined) return troubleOf(cause, secrets, sentLimit);
    return troubleOfRefusal(error, statusCode, quote, sentLimit);
  }
  if (types.isNativeError(error)) {
    // fetch reports a connection that is refused, or that breaks in the middle, as a TypeError.
    if (error.name === 'TypeError')
      return new ProviderTrouble('not_reached', quote(`broke off: ${wordsOf(error)}`), true);
    return new ProviderTrouble('unreadable', quote(`not understood: ${wordsOf(error)}`), false);
  }
  return troubleInAnswer(JSON.stringify(error), quote);
}

function troubleOfRefusal(
  { responseBody, responseHeaders, message }: APICallError,
  status: number,
  quote: Quote,
  sentLimit: number | null,
) {
  const body = responseBody ?? message;
  const words = quote(`status ${status}: ${body}`);
  const room = sentLimit === null ? null : outputRoomIn(status, body, sentLimit);
  if (room !== null) {
    const trouble = room.contextTokens === null ? 'refused_request' : 'context_full';
    return new ProviderTrouble(trouble, words, false, null, null, room);
  }
  if (saysContextFull(status, body)) return new ProviderTrouble('context_full', words, false);
  const refused = refusedPart(status, body);
  if (refused !== null) return new ProviderTrouble('refused_request', words, false, null, refused);
  return new ProviderTrouble(
    troubleOfStatus(status),
    words,
    notNow(status),
    retryAfterMs(responseHeaders?.['retry-after']),
  );
}

/** Trouble in a stream that began well; gateways report errors after their headers like this, with the status that they would have had. */
function troubleInAnswer(told: string, quote: Quote): ProviderTrouble {
  const words = quote(`an error in its answer: ${told}`);
  const status = Number(/"code":"?([45]\d\d)\b/.exec(told)?.[1] ?? 500);
  if (saysContextFull(status, told)) return new ProviderTrouble('context_full', words, false);
  return new ProviderTrouble(troubleOfStatus(status), words, notNow(status));
}

type Quote = (words: string) => string;

function withoutSecrets(words: string, secrets: readonly string[]): string {
  return secrets
    .filter(({ length }) => length >= secretLengthMin)
    .reduce((text, secret) => text.replaceAll(secret, '[key]'), words);
}

function troubleOfStatus(status: number): ModelTrouble {
  if (status < 400) return 'unreadable';
  if (status === 401 || status === 403) return 'refused_credentials';
  if (status === 429) return 'refused_rate';
  if (status === 408 || status === 504) return 'late';
  return status >= 500 ? 'own_error' : 'refused_request';
}

/** Whether the SDK found that a stream ended, in good order, before its answer did. */
export function isCutShort(error: unknown): boolean {
  // Other errors of this name are about data that arrived.
  if (InvalidResponseDataError.isInstance(error)) return error.data === undefined;
  return NoOutputGeneratedError.isInstance(error);
}

function wordsOf({ message, cause }: Error): string {
  return types.isNativeError(cause) ? `${message}: ${cause.message}` : message;
}
