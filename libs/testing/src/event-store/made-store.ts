import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEventStoreServer } from '@app/event-store-server';
import type { Template } from '../postgres/postgres';

/** A database with the empty tables of the embedded event store: making them takes longer than copying them. */
export const madeStore: Template = { name: 'event_store', prepare: makeStore };

/** Makes the tables of the embedded event store. */
export async function makeStore(databaseUrl: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-test-'));
  const server = await startEventStoreServer({ databaseUrl, listen: { socketPath: join(folder, 'store') } });
  await server.close();
  await rm(folder, { recursive: true });
}
