import { concat, fromBase64, toBase64, utf8 } from './bytes';
import { isSignedBy, sign, type SigningKey, type VerifierKey } from './keys';

/** A text with signatures under it. Source: C2SP signed-note. */
export interface Note {
  /** Includes its last newline, without the empty line. */
  readonly text: string;
  readonly signatures: readonly NoteSignature[];
}

export interface NoteSignature {
  readonly name: string;
  /** Id of the key: 8 hex digits. */
  readonly keyId: string;
  /** The bytes after the key's id. */
  readonly bytes: Uint8Array;
}

/** Limits of a note; a longer one is not parsed. */
const noteCharactersMax = 100_000;
const signaturesMax = 100;
const idBytes = 4;
const linePattern = /^\u2014 ([^\s+]+) ([A-Za-z0-9+/]+={0,2})$/u;
const control = /[\u0000-\u0009\u000b-\u001f]/;
const loneSurrogate = /\p{Surrogate}/u;

/** @returns null if the text is not a note */
export function parseNote(note: string): Note | null {
  if (note.length > noteCharactersMax || control.test(note) || loneSurrogate.test(note)) return null;
  const end = note.lastIndexOf('\n\n');
  if (end === -1) return null;
  const lines = note.slice(end + 2).split('\n');
  if (lines.pop() !== '' || lines.length === 0 || lines.length > signaturesMax) return null;
  const signatures = lines.map(parseSignatureLine);
  // Reason for the assertion: there is no null among them.
  return signatures.includes(null) ? null : { text: note.slice(0, end + 1), signatures: signatures as NoteSignature[] };
}

/** Parses one signature line without its newline; null for another text. */
function parseSignatureLine(line: string): NoteSignature | null {
  const [, name, encoded = ''] = linePattern.exec(line) ?? [];
  const bytes = fromBase64(encoded);
  if (name === undefined || bytes === null || bytes.length <= idBytes) return null;
  const keyId = [...bytes.subarray(0, idBytes)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return { name, keyId, bytes: bytes.subarray(idBytes) };
}

/** Formats a signature line, with its newline. */
export function signatureLine({ name, keyId, bytes }: NoteSignature): string {
  const id = Uint8Array.from(keyId.match(/../g) ?? [], (digits) => parseInt(digits, 16));
  return `\u2014 ${name} ${toBase64(concat(id, bytes))}\n`;
}

export function noteText({ text, signatures }: Note): string {
  return `${text}\n${signatures.map(signatureLine).join('')}`;
}

/** The log's signature under a text that ends in a newline. */
export function signatureOf(key: SigningKey, text: string): NoteSignature {
  return { name: key.name, keyId: key.id, bytes: sign(key, utf8(text)) };
}

/** The signatures under the note that name this key. */
export function signaturesBy({ signatures }: Note, key: VerifierKey): NoteSignature[] {
  return signatures.filter(({ name, keyId }) => name === key.name && keyId === key.id);
}

/** Whether the log signed the note: at least once, and every signature under the key's name is valid. */
export function isNoteSignedBy(note: Note, key: VerifierKey): boolean {
  const own = signaturesBy(note, key);
  return own.length > 0 && own.every(({ bytes }) => isSignedBy(key, utf8(note.text), bytes));
}
