import { concat, uint64, utf8 } from './bytes';
import { isSignedBy, sign, type SigningKey, type VerifierKey } from './keys';
import { signaturesBy, type Note, type NoteSignature } from './note';

/** A witness saw the checkpoint and a consistent past at `seconds` (Unix time). Source: C2SP tlog-cosignature. */
export interface Cosignature {
  readonly witness: string;
  readonly seconds: number;
}

const timeBytes = 8;

/** Signs a checkpoint as a witness. @param text of the checkpoint's note @param seconds Unix time, whole */
export function cosign(key: SigningKey, text: string, seconds: number): NoteSignature {
  return { name: key.name, keyId: key.id, bytes: concat(uint64(seconds), sign(key, message(text, seconds))) };
}

/** The witness's cosignature of a note; null if it has none, or if any signature under its name is invalid. */
export function cosignatureBy(note: Note, key: VerifierKey): Cosignature | null {
  const own = signaturesBy(note, key);
  const seconds = own.map(({ bytes }) => secondsOf(key, note.text, bytes));
  const [first] = seconds;
  if (first === undefined || seconds.includes(null) || first === null) return null;
  return { witness: key.name, seconds: first };
}

/** The time in a cosignature, if it is the key's over that text; otherwise null. */
function secondsOf(key: VerifierKey, text: string, bytes: Uint8Array): number | null {
  if (bytes.length <= timeBytes) return null;
  const seconds = Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0));
  if (!Number.isSafeInteger(seconds) || seconds === 0) return null;
  return isSignedBy(key, message(text, seconds), bytes.subarray(timeBytes)) ? seconds : null;
}

function message(text: string, seconds: number): Uint8Array {
  return utf8(`cosignature/v1\ntime ${seconds}\n${text}`);
}
