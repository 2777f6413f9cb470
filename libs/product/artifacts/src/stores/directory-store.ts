import { Unavailable } from '@app/kernel';
import { randomUUID } from 'node:crypto';
import { access, constants, mkdir, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { abandonedAfterMs, Measured, MissingContent, UnfitArtifactStore } from './artifact-store';
import type { ArtifactStore, Reading, StoredBytes } from './artifact-store';
import { isHashed, verified } from './verified-content';

/**
 * Artifacts in a folder: `<first two digits>/<sha256>`, and uploads in flight in `incoming`. An artifact exists as a whole or not at all,
 * because it is written and synced under another name first. Any number of processes may share the folder.
 */
export class DirectoryStore implements ArtifactStore {
  private readonly incoming: string;

  constructor(private readonly folder: string) {
    this.incoming = join(folder, 'incoming');
  }

  async put(body: AsyncIterable<Buffer>): Promise<StoredBytes> {
    const measured = new Measured(body);
    const temporary = join(this.incoming, randomUUID());
    try {
      await makeFolder(this.incoming);
      await writeDurably(temporary, measured.chunks());
      const stored = measured.finish();
      const place = this.placeOf(stored.sha256);
      await makeFolder(dirname(place));
      await rename(temporary, place);
      await syncFolder(dirname(place));
      return stored;
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => undefined); // the sweep will remove it; the first failure is what counts
      throw measured.failureOr(new Unavailable('artifact store', { cause: error }));
    }
  }

  async get(sha256: string, reading: Reading = {}): Promise<Readable | null> {
    const { bytes, range } = reading;
    const place = this.placeOf(sha256);
    try {
      const file = await open(place);
      const found = await file.stat();
      if (found.isFile() && (bytes === undefined || found.size >= bytes)) {
        const content = file.createReadStream(range === undefined ? upTo(bytes) : { start: range.from, end: range.to });
        return isHashed(reading) ? verified(content, sha256, place) : content;
      }
      await file.close();
    } catch (error) {
      if (isMissing(error)) return null;
      throw new Unavailable('artifact store', { cause: error });
    }
    // Something else is in its place, or a part of it.
    throw new MissingContent(place);
  }

  async remove(sha256: string): Promise<boolean> {
    const place = this.placeOf(sha256);
    try {
      await rm(place, { force: true });
      await syncFolder(dirname(place));
    } catch (error) {
      if (!isMissing(error)) throw new Unavailable('artifact store', { cause: error });
    }
    return true;
  }

  async look(): Promise<void> {
    try {
      await makeFolder(this.incoming);
      await access(this.incoming, constants.W_OK);
    } catch (error) {
      throw new UnfitArtifactStore(
        `PARLEY_DATA_DIR names a folder in which no artifacts can be kept (${String(error)}): let this user write there, or name another`,
      );
    }
  }

  async sweep(signal: AbortSignal): Promise<void> {
    try {
      for (const name of await readdir(this.incoming)) {
        if (signal.aborted) return;
        const { mtimeMs } = await stat(join(this.incoming, name));
        // Timestamps of files are real time, not the service clock's.
        if (mtimeMs < Date.now() - abandonedAfterMs) await rm(join(this.incoming, name), { force: true });
      }
    } catch (error) {
      // No upload yet, or another process has swept first.
      if (!isMissing(error)) throw new Unavailable('artifact store', { cause: error });
    }
  }

  placeOf(sha256: string): string {
    return join(this.folder, sha256.slice(0, 2), sha256);
  }
}

/** Options to read the first bytes of a file; undefined for all, and for none, which a stream cannot be limited to. */
function upTo(bytes: number | undefined): { readonly end: number } | undefined {
  return bytes === undefined || bytes === 0 ? undefined : { end: bytes - 1 };
}

async function writeDurably(path: string, chunks: AsyncIterable<Buffer>): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await writeFile(file, chunks);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Creates a folder that survives a loss of power. */
async function makeFolder(path: string): Promise<void> {
  const made = await mkdir(path, { recursive: true, mode: 0o700 });
  if (made !== undefined) await syncFolder(dirname(path));
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

function isMissing(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'ENOENT';
}
