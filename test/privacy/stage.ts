import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '@app/embedded-postgres';
import type { Deployment } from '@app/testing/deployment';
import { LoopbackMcp, stdioProgram } from '@app/testing/mcp';
import { LoopbackModels } from '@app/testing/models';
import { OtlpReceiver } from '@app/testing/observability';
import { TEST_POSTGRES_URL } from '@app/testing/postgres';
import { PartnerEndpoint } from '@app/testing/webhooks';
import { parley, type CommandOutcome } from '../deployment/cli';
import { startKillable, type Killable } from '../crash/killable';

/** Everything that a deployment writes, each kind in a folder of its own. */
export interface Folders {
  /** The data folder of PostgreSQL, which holds the tables of the product's own event store as well. */
  readonly postgres: string;
  /** The folder of a real event store, if the suite runs on one. */
  readonly eventStore: string | null;
  /** `PARLEY_DATA_DIR` of all processes. */
  readonly data: string;
  /** The output of every process, and PostgreSQL's log with each statement and its parameters. */
  readonly logs: string;
  /** `TMPDIR` of all processes. */
  readonly temporary: string;
  /** For backups. */
  readonly backups: string;
}

/** A deployment as processes that can be killed, on a PostgreSQL of its own, with doubles of all that it calls. */
export interface WordsStage {
  readonly killable: Killable;
  readonly deployment: Deployment;
  readonly folders: Folders;
  readonly models: LoopbackModels;
  readonly tools: LoopbackMcp;
  readonly collector: OtlpReceiver;
  readonly endpoint: PartnerEndpoint;
  /** Runs `parley` on the stores. */
  run(this: void, ...args: readonly string[]): Promise<CommandOutcome>;
  stop(this: void): Promise<void>;
}

/** As talkative as a server can be: words must not be in its log because it never gets them. */
const talkative = {
  log_statement: 'all',
  log_min_error_statement: 'error',
  log_parameter_max_length: '-1',
  log_parameter_max_length_on_error: '-1',
  log_error_verbosity: 'verbose',
  fsync: 'off',
};

/** Starts it. If that fails, everything that was started is stopped again. */
export async function startWordsStage(): Promise<WordsStage> {
  const undo: (() => Promise<unknown>)[] = [];
  const stop = async (): Promise<void> => {
    for (let step = undo.pop(); step !== undefined; step = undo.pop()) await step();
  };
  try {
    return { ...(await assembled(undo)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function assembled(undo: (() => Promise<unknown>)[]): Promise<Omit<WordsStage, 'stop'>> {
  const realStore = realEventStore(process.env);
  const folders = { ...(await makeFolders(undo)), eventStore: realStore?.folder ?? null };
  const log = createWriteStream(join(folders.logs, 'postgres.log'));
  const postgres = await startEmbeddedPostgres({
    dataDir: folders.postgres,
    settings: talkative,
    onLog: (line) => log.write(`${line}\n`),
  });
  undo.push(() => postgres.stop());
  process.env[TEST_POSTGRES_URL] = postgres.url('postgres');
  const [tools, models, collector, endpoint] = [
    await LoopbackMcp.start(),
    await LoopbackModels.start('openai-compatible'),
    await OtlpReceiver.start(),
    await new PartnerEndpoint().listen(),
  ];
  undo.push(() => Promise.all([tools.stop(), models.close(), collector.close(), endpoint.leave()]));
  tools.tools = [{ name: 'look' }, { name: 'pay' }, { name: 'break' }];
  const killable = await startKillable({
    mode: 'processes',
    replicas: { api: 2 },
    ...(realStore !== null && { eventStoreUrl: realStore.url }),
    env: {
      ...models.environment(),
      MCP_SERVERS: JSON.stringify([
        { name: 'docs', transport: { type: 'http', url: tools.url }, consent: 'auto', tools: { pay: 'ask' } },
        {
          name: 'local',
          transport: { type: 'stdio', command: process.execPath, args: [stdioProgram] },
          consent: 'auto',
        },
      ]),
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
      LOG_LEVEL: 'debug',
      LOG_FORMAT: 'json',
      PARLEY_DATA_DIR: folders.data,
      TMPDIR: folders.temporary,
      TEST_OUTPUT_FOLDER: folders.logs,
      // A provider that fails is given up soon, and asked again at once.
      MODEL_TIMEOUT_MS: '5000',
      MODEL_RETRIES: '1',
      MODEL_BREAKER_FAILURES: '1000',
      BUDGET_DAY_CENTS: '1000000',
      BUDGET_MONTH_CENTS: '1000000',
    },
  });
  undo.push(() => killable.stop());
  const { deployment } = killable;
  const { databaseUrl: DATABASE_URL, eventStoreUrl: EVENTSTORE_URL } = deployment;
  const env = { DATABASE_URL, EVENTSTORE_URL, PARLEY_DATA_DIR: folders.data, TMPDIR: folders.temporary };
  const run = (...args: readonly string[]) => parley(env, args, folders.temporary);
  return { killable, deployment, folders, models, tools, collector, endpoint, run };
}

/** Returns the empty EventStoreDB of `EVENTSTORE_URL`, and the folder of its data (`EVENTSTORE_FOLDER`); null for the product's own store. */
function realEventStore({ EVENTSTORE_URL: url, EVENTSTORE_FOLDER: folder }: NodeJS.ProcessEnv) {
  if (url === undefined) return null;
  if (folder === undefined)
    throw new Error('EVENTSTORE_FOLDER must name the folder of the event store, to look for words in it');
  return { url, folder };
}

async function makeFolders(undo: (() => Promise<unknown>)[]): Promise<Omit<Folders, 'eventStore'>> {
  const [root, postgres] = [
    await mkdtemp(join(tmpdir(), 'parley-words-')),
    // Apart from the others, because PostgreSQL may run under another account.
    await mkdtemp(join(tmpdir(), 'parley-words-pg-')),
  ];
  for (const folder of [root, postgres]) undo.push(() => rm(folder, { recursive: true, force: true }));
  const below = { data: join(root, 'data'), logs: join(root, 'logs'), temporary: join(root, 'tmp') };
  for (const folder of Object.values(below)) await mkdir(folder);
  return { postgres, ...below, backups: join(root, 'backups') };
}

/** The metrics of every process, as they are scraped. */
export async function metricsOf({ managementPorts }: Deployment): Promise<string> {
  const pages = managementPorts.map(async (port) => (await fetch(`http://127.0.0.1:${port}/metrics`)).text());
  return (await Promise.all(pages)).join('\n');
}

/** The whole output of every process so far. */
export async function outputOf(folders: Folders, name: string): Promise<string> {
  return readFile(join(folders.logs, name), 'utf8');
}
