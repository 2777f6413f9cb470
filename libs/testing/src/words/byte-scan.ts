import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { constants, inflateRawSync, inflateSync, type ZlibOptions } from 'node:zlib';
import { encodingsOf, type Encoded } from './encodings';
import type { MarkedWords } from './marked-words';

/** A word that was found. */
interface Found {
  /** The file, or the name of what else was read. */
  readonly in: string;
  readonly encoding: string;
  /** The place that the word was written to, where it can be read from the bytes. */
  readonly word: string | null;
}

const inflatedBytesMax = 256 * 1024 * 1024;
/** A member that was cut off is read as far as it goes. */
const inflating: ZlibOptions = { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: inflatedBytesMax };

/** The beginnings of compressed members, gzip's and zlib's at its four levels, and how they are opened, whatever follows them. */
const members = [
  { begins: Buffer.from([0x1f, 0x8b, 0x08]), open: (bytes: Buffer) => inflateRawSync(afterHeader(bytes), inflating) },
  ...[0x01, 0x5e, 0x9c, 0xda].map((level) => ({
    begins: Buffer.from([0x78, level]),
    open: (bytes: Buffer) => inflateSync(bytes, inflating),
  })),
];
/** Words of one file that are reported; more say nothing new. */
const foundMax = 20;
/** A member within a member is opened, and one within that. */
const depthMax = 2;

/** Looks for marked words in bytes, files and folders, in every form that they may be stored in. */
export class ByteScan {
  readonly found: Found[] = [];
  /** How many bytes were read, by the name of their place; those of compressed members count as well. */
  readonly bytes = new Map<string, number>();
  private readonly forms: readonly Encoded[];

  constructor(private readonly words: MarkedWords) {
    this.forms = encodingsOf(words.prefix);
  }

  /** @param kind the name under which the bytes are counted */
  scan(kind: string, name: string, content: Buffer | string, depth = 0): void {
    const bytes = typeof content === 'string' ? Buffer.from(content) : content;
    this.bytes.set(kind, (this.bytes.get(kind) ?? 0) + bytes.length);
    const before = this.found.length;
    for (const { encoding, bytes: form } of this.forms) {
      for (let at = bytes.indexOf(form); at >= 0; at = bytes.indexOf(form, at + 1)) {
        if (this.found.length - before >= foundMax) break;
        this.found.push({ in: `${kind}: ${name}`, encoding, word: this.wordNear(bytes, at) });
      }
    }
    if (depth < depthMax) this.scanMembers(kind, name, bytes, depth);
  }

  /** Scans every file below a folder. One that is removed meanwhile is left out. @returns the number of files */
  async scanFolder(kind: string, folder: string): Promise<number> {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    let files = 0;
    for (const entry of entries) {
      const path = join(entry.parentPath, entry.name);
      // A file's own name may be a word.
      this.scan(kind, 'a name of a file', entry.name);
      if (!entry.isFile()) continue;
      const content = await readFile(path).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return null;
        throw error;
      });
      if (content === null) continue;
      files += 1;
      this.scan(kind, path.slice(folder.length + 1), content);
    }
    return files;
  }

  /** Returns the findings as lines, without repetitions. */
  lines(): string[] {
    const lines = this.found.map(({ in: place, encoding, word }) => `${place}: ${word ?? 'a word'} (${encoding})`);
    return [...new Set(lines)].sort();
  }

  private scanMembers(kind: string, name: string, bytes: Buffer, depth: number): void {
    for (const { begins, open } of members) {
      for (let at = bytes.indexOf(begins); at >= 0; at = bytes.indexOf(begins, at + 1)) {
        const inflated = opened(open, bytes.subarray(at));
        if (inflated !== null && inflated.length > 0) this.scan(kind, `${name} at ${at}`, inflated, depth + 1);
      }
    }
  }

  private wordNear(bytes: Buffer, at: number): string | null {
    const text = bytes.toString(
      'latin1',
      Math.max(0, at - this.words.prefix.length),
      at + 2 * this.words.prefix.length,
    );
    const offset = text.indexOf(this.words.prefix);
    return offset < 0 ? null : this.words.placeAt(text, offset);
  }
}

function opened(open: (bytes: Buffer) => Buffer, bytes: Buffer): Buffer | null {
  try {
    return open(bytes);
  } catch {
    return null; // these bytes were no member
  }
}

/** Returns what follows the header of a member of gzip (RFC 1952): optional fields, each with a flag. */
function afterHeader(bytes: Buffer): Buffer {
  const flags = bytes.readUInt8(3);
  let at = 10;
  if ((flags & 4) !== 0) at += 2 + bytes.readUInt16LE(at);
  for (const field of [8, 16]) if ((flags & field) !== 0) at = bytes.indexOf(0, at) + 1;
  return bytes.subarray((flags & 2) !== 0 ? at + 2 : at);
}
