/** A lost host is silent: both ends of a long connection must probe whether the other is still there. */
import { readFile } from 'node:fs/promises';
import { EmbeddedStore } from '@app/testing/event-store';
import { startPostgresProxy } from '@app/testing/stores';
import { until } from '@app/testing/until';
import { openWriterSession } from '../src/storage/session';

/** Values of `/proc/net/tcp`, in hexadecimal; its times are hundredths of a second. */
const established = '01';
const keepAliveTimer = '02';
const askedAfterMs = 10_000;

let store: EmbeddedStore;
beforeEach(async () => {
  store = await EmbeddedStore.start();
});
afterEach(() => store.stop());

/**
 * Returns when the kernel will probe the other end of each loopback connection from those ports; null when no probe is scheduled. It does
 * not search by remote port, because other suites may still have connections to a server that had that port before.
 */
async function nextProbes(ports: readonly number[]): Promise<(number | null)[]> {
  const ends = ports.map((port) => `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`);
  const lines = (await readFile('/proc/net/tcp', 'utf8')).split('\n').map((line) => line.trim().split(/\s+/));
  return lines
    .filter(([, local = '', , state]) => ends.includes(local) && state === established)
    .map(([, , , , , timer = '']) => {
      const [kind, when = ''] = timer.split(':');
      return kind === keepAliveTimer ? Number.parseInt(when, 16) * 10 : null;
    });
}

test('PostgreSQL is asked on every connection whether it is still there', async () => {
  await store.stopServer();
  const proxy = await startPostgresProxy(store.database.url);
  await store.startServer(proxy.url);
  const probes = await until('a quiet connection', async () => {
    const times = await nextProbes(proxy.clientPorts());
    return times.length > 0 && !times.includes(null) ? times : null;
  });
  for (const inMs of probes) expect(inMs).toBeLessThanOrEqual(askedAfterMs);
  await store.stopServer();
  await proxy.close();
});

test('PostgreSQL asks whether the holder of the lock is still there', async () => {
  await store.stopServer();
  const session = await openWriterSession(store.database.url, () => undefined);
  // Over a unix socket they read as 0, but their source is kept.
  const { rows } = await session.db.query<{ name: string }>(
    `SELECT name FROM pg_settings WHERE source = 'session' AND name LIKE 'tcp_%' ORDER BY name`,
  );
  session.destroy();
  expect(rows.map(({ name }) => name)).toEqual([
    'tcp_keepalives_count',
    'tcp_keepalives_idle',
    'tcp_keepalives_interval',
    'tcp_user_timeout',
  ]);
});
