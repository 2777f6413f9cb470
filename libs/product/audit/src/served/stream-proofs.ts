import { Injectable } from '@nestjs/common';
import { EventStore, type ReceivedEvent } from '@app/event-store';
import type { DamagedStream } from '@app/kernel';
import { Throttle } from '@app/read-store';
import {
  fromBase64,
  isIncluded,
  isNoteSignedBy,
  parseCheckpoint,
  parseNote,
  parseVerifierKey,
} from '@app/transparency';
import { sameHash, type Hash, type TiledTree } from '@app/transparency';
import { Checkpoints } from '../signing/checkpoints';
import type { SignedCheckpoint } from '../checkpoints/checkpoints.decider';
import { entryOf, isCovered, isLogged, leafOf } from '../log/covered-events';
import { LogTables, type PlacedLeaf } from '../log/log-tables';

/** Events verified per page: up to as many tiles of the log have to be read for them. */
const pageEvents = 250;
const faultsShownMax = 1_000;

/**
 * A problem with an event: it differs from the log (`altered`), the log has no entry for it (`added`), the stream no
 * longer has it (`missing`), or it matches the log but no path leads to the checkpoint, because the log itself was
 * altered (`unproven`).
 */
export interface StreamFault {
  readonly kind: 'altered' | 'added' | 'missing' | 'unproven';
  readonly revision: number;
  readonly id: string;
  readonly type: string;
  /** Index of the leaf in the log; null for an event that has none. */
  readonly index: number | null;
}

/** The result of verifying a stream against the newest checkpoint. */
export interface StreamVerdict {
  /** Null while the log has none. */
  readonly checkpoint: SignedCheckpoint | null;
  /** Whether the checkpoint is signed by the key that it names, and the log's tree has its root. */
  readonly holds: boolean;
  readonly proven: number;
  /** Number of events newer than the checkpoint. */
  readonly pending: number;
  readonly faulty: number;
  /** The damage that an administrator of the event store did to the stream; null if it is intact. */
  readonly damage: DamagedStream | null;
  /** The first faults, at most a thousand. */
  readonly faults: readonly StreamFault[];
}

/** Verifies streams as stored: hashes their bytes again, and proves each event up to the newest checkpoint. */
@Injectable()
export class StreamProofs {
  constructor(
    private readonly store: EventStore,
    private readonly tables: LogTables,
    private readonly checkpoints: Checkpoints,
  ) {}

  /** Null for a stream that is unknown to store and log, or that the log does not cover. Throws Unavailable. */
  async verify(stream: string): Promise<StreamVerdict | null> {
    if (!isLogged(stream)) return null;
    const [stored, logged] = await Promise.all([this.store.remainsOf(stream), this.tables.lastRevisionOf(stream)]);
    const last = Math.max(stored.last, logged);
    if (last < 0 && stored.damage === null) return null;
    const checkpoint = (await this.checkpoints.current()).signed.at(-1) ?? null;
    const tally = new Tally(checkpoint);
    const resting = new Throttle();
    for (let from = 0; from <= last; await resting.pause()) from = await this.verifyPage(stream, from, tally);
    const holds = checkpoint !== null && isSigned(checkpoint) && (await this.leadsTo(checkpoint));
    return { checkpoint, holds, ...tally.counts, faults: tally.faults, damage: stored.damage };
  }

  /** Verifies the next events and leaves, across gaps in their revisions. @returns where to go on; Infinity if there are no more */
  private async verifyPage(stream: string, from: number, tally: Tally): Promise<number> {
    const [read, leaves] = await Promise.all([
      this.store.readRemaining(stream, from, pageEvents),
      this.tables.leavesOf(stream, from, pageEvents),
    ]);
    const events = new Map(read.map((event) => [event.revision, event]));
    const known = new Map(leaves.map((leaf) => [leaf.entry.revision, leaf]));
    const tree = this.tables.tree(tally.size);
    // Both are known up to the end of the page that ends first.
    const upTo = Math.min(endOfPage(read), endOfPage(leaves.map(({ entry }) => entry)));
    const revisions = [...new Set([...events.keys(), ...known.keys()])].filter((revision) => revision <= upTo);
    for (const revision of revisions.sort((one, other) => one - other)) {
      const [event, leaf] = [events.get(revision), known.get(revision)];
      if (event === undefined) {
        if (leaf !== undefined) tally.add('missing', leaf.entry, leaf);
      } else if (leaf === undefined) {
        if (isCovered(event)) tally.addUnknown(event);
      } else await this.verifyEvent(event, leaf, tree, tally);
    }
    return upTo + 1;
  }

  private async verifyEvent(event: ReceivedEvent, leaf: PlacedLeaf, tree: TiledTree, tally: Tally): Promise<void> {
    const hash = leafOf(entryOf(event));
    if (!sameHash(hash, leafOf(leaf.entry))) tally.add('altered', event, leaf);
    else if (leaf.index >= tally.size) tally.counts.pending += 1;
    else if (tally.root === null || !(await isIn(tree, hash, leaf.index, tally.root)))
      tally.add('unproven', event, leaf);
    else tally.counts.proven += 1;
  }

  private async leadsTo({ size, root }: SignedCheckpoint): Promise<boolean> {
    const signed = fromBase64(root);
    return signed !== null && unlessLost(async () => sameHash(await this.tables.tree(size).root(), signed));
  }
}

/** The last revision of a page; Infinity if the page is not full, so that nothing follows it. */
function endOfPage(page: readonly { readonly revision: number }[]): number {
  return page.length < pageEvents ? Infinity : (page.at(-1)?.revision ?? Infinity);
}

/** Also false if the log has lost tiles of the path. */
async function isIn(tree: TiledTree, hash: Hash, index: number, root: Hash): Promise<boolean> {
  return unlessLost(async () => isIncluded(hash, index, tree.size, await tree.inclusionPath(index), root));
}

async function unlessLost(prove: () => Promise<boolean>): Promise<boolean> {
  try {
    return await prove();
  } catch (error) {
    if (error instanceof RangeError) return false; // a tile is missing or incomplete
    throw error;
  }
}

/** Whether its note has the same contents and is signed by the key that it names. */
function isSigned({ note, key, size, root }: SignedCheckpoint): boolean {
  const [parsed, signer] = [parseNote(note), parseVerifierKey(key)];
  if (parsed === null || signer === null || !isNoteSignedBy(parsed, signer)) return false;
  const said = parseCheckpoint(parsed.text);
  const decided = fromBase64(root);
  return said !== null && decided !== null && said.size === size && sameHash(said.root, decided);
}

/** The findings so far. */
class Tally {
  readonly counts = { proven: 0, pending: 0, faulty: 0 };
  readonly faults: StreamFault[] = [];
  readonly size: number;
  readonly root: Hash | null;
  private readonly coveredPosition: number;

  constructor(checkpoint: SignedCheckpoint | null) {
    this.size = checkpoint?.size ?? 0;
    this.root = checkpoint && fromBase64(checkpoint.root);
    this.coveredPosition = checkpoint?.position ?? 0;
  }

  /** Counts an event without a leaf in the log. */
  addUnknown(event: ReceivedEvent): void {
    if (event.position > this.coveredPosition) this.counts.pending += 1;
    else this.add('added', event, null);
  }

  add(
    kind: StreamFault['kind'],
    { revision, id, type }: { readonly revision: number; readonly id: string; readonly type: string },
    leaf: PlacedLeaf | null,
  ): void {
    this.counts.faulty += 1;
    if (this.faults.length < faultsShownMax) this.faults.push({ kind, revision, id, type, index: leaf?.index ?? null });
  }
}
