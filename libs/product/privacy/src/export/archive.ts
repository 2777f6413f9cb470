import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type * as Yazl from 'yazl';

/** A file of an archive that is complete. */
export interface ArchivedFile {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** Content of a file, in pieces. */
export type Pieces = AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>;

/**
 * A ZIP archive that is made while it is read: no file is begun before its reader has taken those before it, and nothing is kept but the list
 * of files. Its directory is at its end, so an archive that was cut does not open.
 */
export class Archive {
  /** Those that are complete, in order. */
  readonly files: ArchivedFile[] = [];
  private readonly zip: Yazl.ZipFile;
  private readonly output: Readable;

  constructor(private readonly madeAt: Date) {
    // Reason for the assertion: `require` knows no types.
    // eslint-disable-next-line @typescript-eslint/no-require-imports -- few processes ever make an archive
    const { ZipFile } = require('yazl') as typeof Yazl;
    this.zip = new ZipFile();
    // Reason for the assertion: it is a PassThrough.
    this.output = this.zip.outputStream as Readable;
  }

  /**
   * Begins to make an archive; the caller must read it to the end or destroy it. If `write` fails, the archive breaks off with its error.
   * @param write adds the files; what it adds fails once the archive is destroyed, as it is where it was not read within the time
   */
  static made(
    { madeAt, withinMs }: { readonly madeAt: Date; readonly withinMs: number },
    write: (archive: Archive) => Promise<void>,
  ): Readable {
    const archive = new Archive(madeAt);
    const { output } = archive;
    const late = setTimeout(() => output.destroy(new Error('an archive was not read in time')), withinMs);
    output.once('close', () => clearTimeout(late));
    write(archive).then(
      () => archive.zip.end(),
      (error: unknown) => output.destroy(error instanceof Error ? error : new Error(String(error))),
    );
    return output;
  }

  /** Adds a file, and waits until it was read. Rejects if its content fails, or the archive is destroyed. */
  async add(name: string, content: Pieces): Promise<ArchivedFile> {
    if (this.output.destroyed) throw new Error('the archive is destroyed');
    const measured = new Measured();
    const source = Readable.from(measured.passing(content), { objectMode: false });
    const stop = () => source.destroy();
    this.output.once('close', stop);
    let next: Readable | null = source;
    this.zip.addReadStreamLazy(name, { mtime: this.madeAt, mode: 0o100600 }, (take) => {
      const taken = next;
      next = null; // the archive keeps this function for as long as it lives
      if (taken !== null) take(null, taken);
    });
    try {
      await finished(source);
    } finally {
      this.output.off('close', stop);
    }
    const file = { name, ...measured.result() };
    this.files.push(file);
    return file;
  }
}

/** Counts and hashes what passes. */
class Measured {
  private readonly hash = createHash('sha256');
  private bytes = 0;

  async *passing(content: Pieces): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const piece of content) {
      const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
      this.hash.update(bytes);
      this.bytes += bytes.length;
      yield bytes;
    }
  }

  result(): { bytes: number; sha256: string } {
    return { bytes: this.bytes, sha256: this.hash.digest('hex') };
  }
}
