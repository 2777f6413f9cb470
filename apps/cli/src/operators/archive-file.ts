import { rmSync, statSync } from 'node:fs';
import { open, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { CommandFailed, reasonIn } from '../terminal/outcome';

/** A ZIP archive without a comment ends with this record, which only a complete one has. */
const endBytes = 22;
const endSignature = 0x06054b50;
const signals = ['SIGINT', 'SIGTERM'] as const;

/**
 * A file of its owner only, which has its name once it is complete: until then it is named `….unfinished`, and it is removed when its download
 * fails, or a signal ends the command.
 */
export class ArchiveFile {
  private bytes = 0;
  private tail = Buffer.alloc(0);

  private constructor(
    private readonly place: string,
    private readonly file: FileHandle,
    private readonly inode: bigint,
  ) {}

  /**
   * Writes a file with what `fill` passes on. Returns its length.
   * @throws CommandFailed for a place that exists or cannot be written, and for an archive that was cut; whatever `fill` throws
   */
  static async written(place: string, fill: (file: ArchiveFile) => Promise<void>): Promise<number> {
    if (await exists(place)) throw new CommandFailed(`${place} exists already: name another file`);
    const unfinished = `${place}.unfinished`;
    const file = await begun(place, unfinished);
    const archive = new ArchiveFile(place, file, (await file.stat({ bigint: true })).ino);
    const removeAndEnd = (signal: NodeJS.Signals) => {
      if (archive.isAt(unfinished)) rmSync(unfinished, { force: true });
      process.kill(process.pid, signal);
    };
    for (const signal of signals) process.once(signal, removeAndEnd);
    try {
      await fill(archive);
      if (await exists(place)) throw new CommandFailed(`${place} exists now: another command wrote it`);
      if (!archive.isAt(unfinished))
        throw new CommandFailed(`another command writes ${place}: name another file, or wait for it`);
      await rename(unfinished, place);
      return archive.bytes;
    } catch (error) {
      if (archive.isAt(unfinished)) await rm(unfinished, { force: true });
      throw error;
    } finally {
      // Only now: the number of a file that is removed and closed may become that of another one.
      await file.close();
      for (const signal of signals) process.off(signal, removeAndEnd);
    }
  }

  /** Whether this file has that name: another command that writes the same place takes the name for its own file. */
  private isAt(path: string): boolean {
    return statSync(path, { bigint: true, throwIfNoEntry: false })?.ino === this.inode;
  }

  /** Whether nothing was added. */
  get isEmpty(): boolean {
    return this.bytes === 0;
  }

  /** @throws CommandFailed, as for a full disk */
  async add(chunk: Uint8Array): Promise<void> {
    await this.orFail(this.file.writeFile(chunk));
    this.bytes += chunk.length;
    this.tail = Buffer.concat([this.tail, chunk]).subarray(-endBytes);
  }

  /** Makes sure that all of it arrived and is on the disk. @throws CommandFailed */
  async complete(): Promise<void> {
    if (this.tail.length < endBytes || this.tail.readUInt32LE(0) !== endSignature) throw cutArchive();
    await this.orFail(this.file.sync());
  }

  private async orFail(writing: Promise<void>): Promise<void> {
    try {
      await writing;
    } catch (error) {
      throw unwritable(this.place, error);
    }
  }
}

/** The failure for an archive of which only a part arrived. */
export function cutArchive(cause?: unknown): CommandFailed {
  return new CommandFailed('the archive was cut, and nothing is left of it: give the command again', { cause });
}

async function begun(place: string, unfinished: string): Promise<FileHandle> {
  try {
    // The remains of a command that was killed.
    await rm(unfinished, { force: true });
    return await open(unfinished, 'wx', 0o600);
  } catch (error) {
    throw unwritable(place, error);
  }
}

function unwritable(place: string, error: unknown): CommandFailed {
  return new CommandFailed(`${place} cannot be written: ${reasonIn(error)}`, { cause: error });
}

async function exists(place: string): Promise<boolean> {
  return stat(place).then(
    () => true,
    () => false,
  );
}
