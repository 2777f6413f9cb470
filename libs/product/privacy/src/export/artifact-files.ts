import { isLost, type ArtifactsOfUser, type OwnedArtifact } from '@app/artifacts';
import { isErased, type UserId } from '@app/kernel';
import type { Archive, ArchivedFile } from './archive';
import type { Gaps } from './gaps';

/** Artifacts with a file of their own: the list of an archive's files is kept until its end. Further ones are lines of one file. */
const ownFilesMax = 10_000;
const furtherFile = 'further-artifacts.jsonl';
/** A multiple of 3, so that parts in base64 can be joined. */
const partBytes = 49_152;

/** Adds the artifacts of a user to an archive: a list of them, and their bytes. */
export class ArtifactFiles {
  /** How many there are, those whose words are erased included. */
  total = 0;
  erased = 0;
  /** The position of the last one in the list: later uploads are not in the archive. */
  private upTo = 0;

  constructor(
    private readonly artifacts: ArtifactsOfUser,
    private readonly userId: UserId,
    private readonly gaps: Gaps,
    private readonly filesMax = ownFilesMax,
  ) {}

  /** Returns the list. @throws Unavailable */
  async addTo(archive: Archive): Promise<ArchivedFile> {
    const list = await archive.add('artifacts.jsonl', this.list());
    let count = 0;
    for await (const artifact of this.readable()) {
      count += 1;
      if (count > this.filesMax) break;
      await archive.add(fileOf(artifact), this.bytesOf(artifact));
    }
    if (count > this.filesMax) await archive.add(furtherFile, this.further());
    return list;
  }

  private async *list(): AsyncGenerator<string, void, undefined> {
    for await (const artifact of this.artifacts.of(this.userId)) {
      const { content: _, position, ...shown } = artifact;
      const isReadable = !isErased(artifact.name);
      const own = this.total - this.erased < this.filesMax ? fileOf(artifact) : furtherFile;
      this.total += 1;
      if (!isReadable) this.erased += 1;
      this.upTo = position;
      yield `${JSON.stringify({ ...shown, file: isReadable ? own : null })}\n`;
    }
  }

  /** Those in the list whose words are there. */
  private async *readable(): AsyncGenerator<OwnedArtifact, void, undefined> {
    for await (const artifact of this.artifacts.of(this.userId)) {
      if (artifact.position > this.upTo) return;
      if (!isErased(artifact.name)) yield artifact;
    }
  }

  /** Ends where bytes are missing or damaged: the archive goes on, and names the artifact. */
  private async *bytesOf(artifact: OwnedArtifact): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      const bytes = await this.artifacts.open(artifact);
      if (bytes === null) return this.gaps.add(`artifact ${artifact.id}`, 'it was erased while the archive was made');
      // Reason for the assertion: no store sets an encoding.
      for await (const piece of bytes) yield piece as Buffer;
    } catch (error) {
      if (!isLost(error)) throw error;
      this.gaps.add(`artifact ${artifact.id}`, 'its file is missing or damaged');
    }
  }

  private async *further(): AsyncGenerator<string, void, undefined> {
    let count = 0;
    for await (const artifact of this.readable()) {
      count += 1;
      if (count <= this.filesMax) continue;
      let part = 0;
      for await (const bytes of inParts(this.bytesOf(artifact)))
        yield `${JSON.stringify({ id: artifact.id, part: part++, bytes: bytes.toString('base64') })}\n`;
    }
  }
}

function fileOf({ id, name }: OwnedArtifact): string {
  return `artifacts/${id}-${isErased(name) ? '' : name}`;
}

async function* inParts(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, void, undefined> {
  let kept = Buffer.alloc(0);
  for await (const piece of pieces) {
    kept = Buffer.concat([kept, piece]);
    for (; kept.length >= partBytes; kept = kept.subarray(partBytes)) yield kept.subarray(0, partBytes);
  }
  if (kept.length > 0) yield kept;
}
