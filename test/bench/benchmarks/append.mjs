import { randomUUID } from 'node:crypto';
import { NO_STREAM } from '@eventstore/db-client';
import { cause, renamed } from '../conversations.mjs';
import { operationsPerSecond } from '../measuring.mjs';

const inFlight = 64;

/** The embedded event store, through its client, against an event store that is a library on the same PostgreSQL. */
export const append = {
  number: 3,
  name: `embedded event store, single-event appends, ${inFlight} in flight`,
  against: 'emmett-postgresql on the same PostgreSQL',
  figures: [{ key: 'rate', unit: 'appends/s', better: 'more', aim: 3, floor: 2 }],

  async open({ client, baselineDatabaseUrl }, { seconds }) {
    const emmett = await openEmmett(baselineDatabaseUrl);
    const measure = async (operation) => ({ rate: await operationsPerSecond({ inFlight, seconds, operation }) });
    return {
      ours: () => measure(appendingTo(client)),
      baseline: () => measure(appendingByLibrary(emmett)),
      close: () => emmett.close(),
    };
  },
};

async function openEmmett(connectionString) {
  const { getPostgreSQLEventStore } = await import('@event-driven-io/emmett-postgresql');
  const emmett = getPostgreSQLEventStore(connectionString);
  await emmett.schema.migrate();
  return emmett;
}

const newLanes = () => Array.from({ length: inFlight }, () => ({ stream: `benchmark-${randomUUID()}`, events: 0 }));

function appendingTo(client) {
  const lanes = newLanes();
  return async (number) => {
    const lane = lanes[number];
    const expectedRevision = lane.events === 0 ? NO_STREAM : BigInt(lane.events - 1);
    await client.appendToStream(lane.stream, renamed(lane.events), { expectedRevision });
    lane.events += 1;
  };
}

function appendingByLibrary(emmett) {
  const lanes = newLanes();
  return async (number) => {
    const lane = lanes[number];
    const { type, data } = renamed(lane.events);
    const expectedStreamVersion = BigInt(lane.events);
    await emmett.appendToStream(lane.stream, [{ type, data, metadata: cause }], { expectedStreamVersion });
    lane.events += 1;
  };
}
