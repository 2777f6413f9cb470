import { startEventStoreServer, type EventStoreServer, type Listen } from '@app/event-store-server';
import { endWithParent } from './parent';

const usage =
  'this process takes no arguments: DATABASE_URL and EVENT_STORE_LISTEN configure it, and npm start runs it';

/**
 * The embedded event store as a process. Environment: DATABASE_URL; EVENT_STORE_LISTEN (`unix:/path` or `host:port`, loopback only);
 * EVENT_STORE_PARENT_PID, to end with that process; EVENT_STORE_WEATHER, for tests only, the seed of a cluster's bad day. Prints one line
 * when it is ready. Ends gracefully on SIGTERM and SIGINT, with status 1 when it cannot start.
 */
async function main(): Promise<void> {
  const [, , argument] = process.argv;
  if (argument === '--help' || argument === '-h') return console.log(usage);
  if (argument !== undefined) {
    console.error(`there is no argument ${argument}: ${usage}`);
    process.exitCode = 2;
    return;
  }
  let server: EventStoreServer | undefined = undefined;
  let ending = false;
  // Registered first, because a start may wait for long.
  const end = (reason: string): void => {
    if (ending) return;
    ending = true;
    console.error(JSON.stringify({ level: 'info', message: `the event store ends: ${reason}` }));
    (server?.close() ?? Promise.resolve()).then(
      () => process.exit(0),
      (error: unknown) => fail(error),
    );
  };
  process.on('SIGTERM', () => end('SIGTERM'));
  process.on('SIGINT', () => end('SIGINT'));
  endWithParent(process.env['EVENT_STORE_PARENT_PID'], () => end('its parent is gone'));
  server = await startEventStoreServer({
    databaseUrl: requireVariable('DATABASE_URL'),
    listen: parseListen(requireVariable('EVENT_STORE_LISTEN')),
    weatherSeed: process.env['EVENT_STORE_WEATHER'],
    onLog: (level, message, fields) => console.error(JSON.stringify({ level, message, ...fields })),
  });
  console.log(`event store ready at ${server.address}`);
}

function requireVariable(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set`);
  return value;
}

function parseListen(text: string): Listen {
  if (text.startsWith('unix:')) return { socketPath: text.slice('unix:'.length) };
  const [, host = '', port = ''] = /^\[?(.+?)\]?:(\d+)$/.exec(text) ?? [];
  if (host === '') throw new Error(`EVENT_STORE_LISTEN is neither unix:/path nor host:port: ${text}`);
  return { host, port: Number(port) };
}

function fail(error: unknown): never {
  console.error(JSON.stringify({ level: 'error', message: error instanceof Error ? error.message : String(error) }));
  process.exit(1);
}

main().catch(fail);
