import { createHash } from 'node:crypto';
import { EventStore, type ReceivedEvent } from '@app/event-store';
import { leafHash, toBase64, TreeEdge, utf8 } from '@app/transparency';
import { Client } from 'pg';

const ownStream = 'audit-checkpoints';
const pageEvents = 1_000;

/**
 * Returns every difference between the log of all events and the stored events: its entries, the root of each
 * fixed checkpoint, fixed sizes that do not grow, and signatures that match no fixed checkpoint. There must be none. It
 * computes everything itself, with no code of the slice.
 */
export async function unlikeTheEvents(databaseUrl: string, eventStoreUrl: string): Promise<string[]> {
  const database = new Client({ connectionString: databaseUrl });
  await database.connect();
  const store = EventStore.connect(eventStoreUrl);
  try {
    const { rows } = await database.query<{ text: string }>(
      `SELECT concat_ws('|', stream, revision, id, type, encode(data_sha256, 'hex'), encode(metadata_sha256, 'hex')) AS text
       FROM transparency_leaves ORDER BY index`,
    );
    const covered = (await everything(store)).filter(({ stream }) => !stream.startsWith('$') && stream !== ownStream);
    const entries = covered.slice(0, rows.length).map(entryText);
    const wrong = rows.flatMap(({ text }, index) => (text === entries[index] ? [] : [`entry ${index} is ${text}`]));
    return [...wrong, ...(await wrongCheckpoints(store, covered))];
  } finally {
    await store.dispose();
    await database.end();
  }
}

async function wrongCheckpoints(store: EventStore, covered: readonly ReceivedEvent[]): Promise<string[]> {
  const edge = new TreeEdge();
  const roots = covered.map((event) => {
    edge.append(leafHash(utf8(canonicalEntry(event))));
    return toBase64(edge.root());
  });
  const said = (await store.readStream(ownStream, 0, 100_000)).map(({ type, payload }) => ({ type, payload }));
  const sizes = (type: string) => said.filter((one) => one.type === type).map(({ payload }) => Number(payload['size']));
  const fixed = sizes('checkpoint.fixed');
  return [
    ...said.flatMap(({ type, payload: { size, root } }) =>
      type !== 'checkpoint.fixed' || roots[Number(size) - 1] === root ? [] : [`the root of ${Number(size)} leaves`],
    ),
    ...fixed.flatMap((size, at) => (size > (fixed[at - 1] ?? 0) ? [] : [`a tree of ${size} after a larger one`])),
    ...sizes('checkpoint.signed').flatMap((size, at) => (size === fixed[at] ? [] : [`a signature of ${size}`])),
  ];
}

async function everything(store: EventStore): Promise<ReceivedEvent[]> {
  const events: ReceivedEvent[] = [];
  for (;;) {
    const page = await store.readAllRaw(events.at(-1)?.position ?? 0, pageEvents);
    events.push(...page);
    if (page.length < pageEvents) return events;
  }
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

function entryText({ stream, revision, id, type, data, metadata }: ReceivedEvent): string {
  return [stream, revision, id, type, sha256(data), sha256(metadata)].join('|');
}

/** Members in the order of their names, as RFC 8785 requires. */
function canonicalEntry({ stream, revision, id, type, data, metadata }: ReceivedEvent): string {
  return JSON.stringify({ dataSha256: sha256(data), id, metadataSha256: sha256(metadata), revision, stream, type });
}
