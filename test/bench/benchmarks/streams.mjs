import { randomUUID } from 'node:crypto';
import { NO_STREAM } from '@eventstore/db-client';
import { cause, renamed } from '../conversations.mjs';
import { operationsPerSecond } from '../measuring.mjs';
import { conversationKind, openProduct, readConfiguration, Streams } from '../product.mjs';

const inFlight = 64;
/** A category that no read model follows, because the append is measured. */
const kind = { ...conversationKind, category: 'benchmark' };
const userId = randomUUID();

/**
 * Fold, decide, encode and append, as every command of the product does, against the client's own append of the same
 * events.
 */
export const decide = {
  number: 2,
  name: `store append through Streams, ${inFlight} in flight`,
  against: 'same client, raw append to the same store',
  figures: [{ key: 'rate', unit: 'appends/s', better: 'more', aim: 0.9, floor: 0.75 }],

  async open({ client, stores }, { seconds }) {
    const product = await openProduct(readConfiguration({ ...stores, LOG_LEVEL: 'warn' }));
    const streams = product.get(Streams, { strict: false });
    const measure = async (operation) => ({ rate: await operationsPerSecond({ inFlight, seconds, operation }) });
    return {
      ours: async () => measure(await renaming(streams)),
      baseline: async () => measure(await appending(client)),
      close: () => product.close(),
    };
  },
};

/** Renames conversations, one for each lane. */
async function renaming(streams) {
  const at = () => new Date().toISOString();
  const lanes = Array.from({ length: inFlight }, () => ({ id: randomUUID(), renames: 0 }));
  const command = { type: 'CreateConversation', userId, title: null, origin: 'conversation', automationId: null };
  for (const { id } of lanes) await streams.decide(kind, id, { ...command, at: at() }, cause);
  return async (number) => {
    const lane = lanes[number];
    lane.renames += 1;
    const title = `Quarterly report for the board, revision ${String(lane.renames).padStart(6, '0')}`;
    const rename = { type: 'RenameConversation', at: at(), userId, title };
    const done = await streams.decide(kind, lane.id, rename, cause);
    if (!done.ok) throw new Error(JSON.stringify(done.refusal));
  };
}

/** Appends the same events to one stream for each lane, knowing only its revision. */
async function appending(client) {
  const lanes = Array.from({ length: inFlight }, () => ({ stream: `${kind.category}-${randomUUID()}`, revision: 0n }));
  for (const { stream } of lanes) await client.appendToStream(stream, renamed(0), { expectedRevision: NO_STREAM });
  return async (number) => {
    const lane = lanes[number];
    const event = renamed(Number(lane.revision));
    const { nextExpectedRevision } = await client.appendToStream(lane.stream, event, {
      expectedRevision: lane.revision,
    });
    lane.revision = nextExpectedRevision;
  };
}
