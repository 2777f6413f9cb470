import { quoted, sentence, words, type Words } from '@app/kernel';
import { abortAfter, AnswerTooLong, bodyWithin, fetchWithoutRedirects } from '@app/runtime';
import type { WitnessAddress } from '@app/settings';
import { cosignatureBy, parseCount, parseNote, signatureLine, signaturesBy, toBase64 } from '@app/transparency';
import type { Hash } from '@app/transparency';

/** The offer sent to a witness. Source: C2SP tlog-witness, "add-checkpoint". */
export interface CheckpointOffer {
  /** The size of the tree that it signed last, as far as is known. */
  readonly old: number;
  /** The consistency proof from there to the checkpoint. */
  readonly path: readonly Hash[];
  /** The note as the log signed it. */
  readonly note: string;
}

export type WitnessAnswer =
  /** Its line under the note, verified. */
  | { readonly line: string }
  /** The size of the tree that it signed last. */
  | { readonly signedLast: number };

/**
 * Why a witness refuses: the log is not the one that it saw grow (409 with a larger size, 422), or it does not know the
 * log or its key, or rejects the offer as invalid (any other 4xx).
 */
export type Refusal = 'contradiction' | 'unknown';

/** A witness gave no signature. `refusal`: why it refuses; null: it is away, or its answer is invalid. */
export class WitnessTrouble extends Error {
  constructor(
    readonly said: Words,
    readonly refusal: Refusal | null = null,
    options?: ErrorOptions,
  ) {
    super(said, options);
  }
}

const answerWithinMs = 5_000;
const answerBytesMax = 64 * 1024;

/** Offers a checkpoint, once. @throws WitnessTrouble: it is away, slow, redirects, or its answer is invalid */
export async function offerCheckpoint(
  { key, url }: WitnessAddress,
  { old, path, note }: CheckpointOffer,
  signal: AbortSignal,
): Promise<WitnessAnswer> {
  const offered = `old ${old}\n${path.map((hash) => `${toBase64(hash)}\n`).join('')}\n${note}`;
  const { status, body } = await post(`${url}/add-checkpoint`, offered, signal).catch((cause: unknown) => {
    throw cause instanceof WitnessTrouble ? cause : new WitnessTrouble(sentence('it does not answer'), null, { cause });
  });
  if (status === 409) return { signedLast: sizeIn(body) };
  if (status !== 200) throw new WitnessTrouble(words`status ${status}: ${quoted(body)}`, refusalBy(status));
  const cosigned = parseNote(note + body);
  const [own] = cosigned === null || cosignatureBy(cosigned, key) === null ? [] : signaturesBy(cosigned, key);
  if (own === undefined)
    throw new WitnessTrouble(sentence('its answer holds no signature of its key over the checkpoint'));
  return { line: signatureLine(own) };
}

/** These statuses mean: later. Source: RFC 9110 and RFC 6585. */
const laterStatuses: readonly number[] = [408, 425, 429];

function refusalBy(status: number): Refusal | null {
  if (status === 409 || status === 422) return 'contradiction';
  return status >= 400 && status < 500 && !laterStatuses.includes(status) ? 'unknown' : null;
}

async function post(url: string, body: string, stopping: AbortSignal): Promise<{ status: number; body: string }> {
  const signal = AbortSignal.any([stopping, abortAfter(answerWithinMs)]);
  const response = await fetchWithoutRedirects(url, { method: 'POST', body, signal });
  return { status: response.status, body: await boundedText(response) };
}

function sizeIn(body: string): number {
  const size = body.endsWith('\n') ? parseCount(body.slice(0, -1)) : null;
  if (size === null) throw new WitnessTrouble(words`status 409 without a size: ${quoted(body)}`, refusalBy(409));
  return size;
}

/** Returns the body as text. @throws WitnessTrouble if it is longer than any answer of a witness */
export async function boundedText(response: Response): Promise<string> {
  try {
    return (await bodyWithin(response, answerBytesMax)).toString('utf8');
  } catch (cause) {
    if (!(cause instanceof AnswerTooLong)) throw cause;
    throw new WitnessTrouble(words`an answer of more than ${answerBytesMax} bytes`, null, { cause });
  }
}
