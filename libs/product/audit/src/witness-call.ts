import { abortAfter, fetchWithoutRedirects, type WitnessAddress } from '@app/runtime';
import {
  cosignatureBy,
  parseCount,
  parseNote,
  signatureLine,
  signaturesBy,
  toBase64,
  type Hash,
} from '@app/transparency';

/** What a witness is sent. Source: C2SP tlog-witness, "add-checkpoint". */
export interface CheckpointOffer {
  /** The size of the tree that it signed last, as far as is known. */
  readonly old: number;
  /** From there to the checkpoint. */
  readonly path: readonly Hash[];
  /** As the log signed it. */
  readonly note: string;
}

export type WitnessAnswer =
  /** Its line under the note, verified. */
  | { readonly line: string }
  /** It signed a tree of that size last. */
  | { readonly signedLast: number };

/** A witness that does not answer, or not as it should. `refuses`: it says that the log does not grow as a log does. */
export class WitnessTrouble extends Error {
  constructor(
    message: string,
    readonly refuses = false,
    options: ErrorOptions = {},
  ) {
    super(message, options);
  }
}

const answerWithinMs = 5_000;
const answerBytesMax = 64 * 1024;
const quotedMax = 200;

/** Offers a checkpoint to a witness, once. @throws WitnessTrouble: it is away, late, redirects, or answers nonsense */
export async function offerCheckpoint(
  { key, url }: WitnessAddress,
  { old, path, note }: CheckpointOffer,
  signal: AbortSignal,
): Promise<WitnessAnswer> {
  const offered = `old ${old}\n${path.map((hash) => `${toBase64(hash)}\n`).join('')}\n${note}`;
  const { status, body } = await post(`${url}/add-checkpoint`, offered, signal).catch((cause: unknown) => {
    throw cause instanceof WitnessTrouble ? cause : new WitnessTrouble('it does not answer', false, { cause });
  });
  if (status === 409) return { signedLast: sizeIn(body) };
  if (status !== 200) throw new WitnessTrouble(`status ${status}: ${body.slice(0, quotedMax)}`, status === 422);
  const cosigned = parseNote(note + body);
  const [own] = cosigned === null || cosignatureBy(cosigned, key) === null ? [] : signaturesBy(cosigned, key);
  if (own === undefined) throw new WitnessTrouble('its answer holds no signature of its key over the checkpoint');
  return { line: signatureLine(own) };
}

async function post(url: string, body: string, stopping: AbortSignal): Promise<{ status: number; body: string }> {
  const signal = AbortSignal.any([stopping, abortAfter(answerWithinMs)]);
  const response = await fetchWithoutRedirects(url, { method: 'POST', body, signal });
  return { status: response.status, body: await boundedText(response) };
}

function sizeIn(body: string): number {
  const size = body.endsWith('\n') ? parseCount(body.slice(0, -1)) : null;
  if (size === null) throw new WitnessTrouble(`status 409 without a size: ${body.slice(0, quotedMax)}`);
  return size;
}

async function boundedText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  // Leaving the loop by throwing cancels the body.
  for await (const chunk of response.body ?? []) {
    // Reason for the assertion: the types of the body of fetch leave its chunks open; they are bytes.
    const bytes = chunk as Uint8Array;
    length += bytes.length;
    if (length > answerBytesMax) throw new WitnessTrouble(`an answer of more than ${answerBytesMax} bytes`);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
}
