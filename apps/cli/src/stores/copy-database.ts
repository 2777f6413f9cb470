import { holdingStatements, takingStatements, type LogHold } from '@app/audit';
import { readDotEnv } from '@app/composition';
import { copyDatabase, countRows, type HandOver } from '@app/database-copies';
import { refuseWhileRunning } from '@app/event-migration';
import { startEventStoreServer } from '@app/event-store-server';
import { readConfiguration } from '@app/settings';
import type { Command } from 'commander';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endTidily, openSource } from './migration-source';
import { openDatabase } from './migrate-events';
import { leftOutLines } from '../terminal/outcome';
import { print } from '../terminal/output';
import { showProgress } from '../terminal/progress';
import { requiredStoreUrl, withStoreUrl, type StoreUrlOption } from './store-urls';

const target: StoreUrlOption = {
  name: 'to',
  isRequired: true,
  description: 'the target: postgres://…',
  form: /^postgres(ql)?:\/\//,
  forms: 'postgres:// or postgresql://',
};

/** `parley copy-database`: from the embedded PostgreSQL to an external one (docs/growing.md). */
export function copyDatabaseCommand(program: Command): void {
  withStoreUrl(program.command('copy-database'), target)
    .description('copy every row of a stopped deployment, its events included, into an empty PostgreSQL, and compare')
    .action(async (_options: object, command: Command) => {
      readDotEnv();
      const to = await requiredStoreUrl(command, target);
      const source = await openSource(readConfiguration(process.env), undefined);
      endTidily(source);
      try {
        await refuseUnlessStopped(source.databaseUrl);
        await makeTables(to);
        const total = await countRows(source.databaseUrl);
        const { tables, leftOut } = await copyDatabase(
          source.databaseUrl,
          to,
          handOverTo(to),
          showProgress('copying', total, 'rows'),
        );
        const rows = tables.reduce((sum, table) => sum + table.rows, 0);
        print(command, { tables, rows, leftOut }, [
          `${rows} rows of ${tables.length} tables are there, and compare equal.`,
          ...leftOutLines(leftOut),
          'Set DATABASE_URL to it, keep PARLEY_SECRET_KEY, and start the service.',
          'The log goes on there: where it was copied from, it signs nothing any more unless parley audit resume says so.',
        ]);
      } finally {
        await source.close();
      }
    });
}

/** Moves the log: from then on it signs in the target, and nowhere else. A target that an interrupted earlier copy left is used again. */
function handOverTo(target: string): HandOver {
  const to = placeIn(target);
  const since = new Date().toISOString();
  const hold: LogHold = { id: `moved:${randomUUID()}`, why: 'moved', since, says: `its database was copied to ${to}` };
  return {
    leave: async (source) => {
      for (const { text, values } of holdingStatements(hold)) await source.query(text, [...values]);
    },
    take: async (client) => {
      for (const { text, values } of takingStatements(hold)) await client.query(text, [...values]);
    },
  };
}

/** Describes a database, without its password. */
function placeIn(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`;
}

async function refuseUnlessStopped(url: string): Promise<void> {
  const database = await openDatabase(url);
  try {
    await refuseWhileRunning(database);
  } finally {
    await database.close();
  }
}

/** Creates the tables of the product by its migrations; the embedded event store creates its own when it starts. */
async function makeTables(url: string): Promise<void> {
  const database = await openDatabase(url, '--to');
  await database.close();
  await makeEventTables(url);
}

/** Creates the tables of the embedded event store when they are missing. */
export async function makeEventTables(databaseUrl: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-copy-'));
  try {
    const server = await startEventStoreServer({ databaseUrl, listen: { socketPath: join(folder, 'events.sock') } });
    await server.close();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
