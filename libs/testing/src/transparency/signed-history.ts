/** A log over events in memory, signed with a key of its own, for tests that alter the events it covers. */
import {
  checkpointText,
  cosign,
  entryBytes,
  noteText,
  signatureOf,
  signatureLine,
  signingKey,
  tilePath,
  toBase64,
  TreeEdge,
  joined,
  tileWidth,
  verifierKeyText,
  type SigningKey,
} from '@app/transparency';
import { leafOfBytes, leafOfEvent, type Claim, type KeptLog, type StoredBytes } from '@app/audit';

const seedOf = (byte: number): Uint8Array => new Uint8Array(32).fill(byte);
const origin = 'parley/test';
const at = 1_772_359_200;

export const logKey = signingKey('log', origin, seedOf(1));
export const otherKey = signingKey('log', origin, seedOf(2));
/** The key of a log under another name. */
export const elsewhereKey = signingKey('log', 'parley/elsewhere', seedOf(4));
export const witnessKey = signingKey('witness', 'witness.test/one', seedOf(3));

/** Returns the log of these events, with its tiles. */
export function keptOf(events: readonly StoredBytes[], coveredUpTo: number | null = null): KeptLog {
  const leaves = events.map((event, index) => leafOfBytes(entryBytes(leafOfEvent(event).entry!), index));
  const edge = new TreeEdge();
  const full = leaves.flatMap(({ hash }) => edge.append(hash));
  const tiles = new Map(full.map((tile) => [tilePath({ ...tile, width: tileWidth }), tile.hashes]));
  for (const [level, hashes] of edge.partial.entries()) {
    const index = Math.floor(edge.size / tileWidth ** (level + 1));
    if (hashes.length > 0) tiles.set(tilePath({ level, index, width: hashes.length }), joined(hashes));
  }
  return {
    size: leaves.length,
    coveredUpTo,
    hasEntries: true,
    async *leaves() {
      yield* leaves;
    },
    tile: async (name) => tiles.get(tilePath(name)) ?? null,
  };
}

/** Returns the root over the first `size` events. */
function rootOf(events: readonly StoredBytes[], size = events.length): Uint8Array {
  const edge = new TreeEdge();
  for (const event of events.slice(0, size)) edge.append(leafOfEvent(event).hash);
  return edge.root();
}

/** Returns a checkpoint of the first `size` events, signed by the log that has the key. */
export function claimOf(
  events: readonly StoredBytes[],
  size = events.length,
  { key = logKey, witnesses = [] }: { readonly key?: SigningKey; readonly witnesses?: readonly SigningKey[] } = {},
): Claim {
  const root = rootOf(events, size);
  const text = checkpointText({ origin: key.name, size, root });
  const lines = witnesses.map((witness) => signatureLine(cosign(witness, text, at)));
  return {
    where: `checkpoint of ${size}`,
    note: noteText({ text, signatures: [signatureOf(key, text)] }) + lines.join(''),
    fixed: { size, root: toBase64(root) },
    witnesses: witnesses.map(verifierKeyText),
  };
}
