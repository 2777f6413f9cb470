import { readStore } from '@app/composition';
import { openDatabase } from '@app/read-store';
import { readConfiguration } from '@app/settings';
import { makeStore } from '../event-store/made-store';
import type { Template } from '../postgres/postgres';

/** A database with the tables of the read models and of the event store; each deployment of a jest run has a copy of it. */
export const madeDatabase: Template = { name: 'deployment', prepare: makeTables };

async function makeTables(url: string): Promise<void> {
  const configuration = readConfiguration({ PARLEY_MODE: 'sandbox', DATABASE_URL: url });
  await (await openDatabase(configuration, readStore)).close();
  await makeStore(url);
}
