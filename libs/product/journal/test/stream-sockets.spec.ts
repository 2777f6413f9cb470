import type { UserId } from '@app/kernel';
import { Processes } from '@app/read-store';
import { Configuration, readConfiguration } from '@app/settings';
import { StreamSockets } from '../src/stream-sockets';
import { newUserId, startStores, type TestStores } from '@app/testing/journal';

let stores: TestStores;
const started: Processes[] = [];
beforeAll(async () => {
  stores = await startStores();
});
afterAll(async () => {
  for (const processes of started) await processes.stop();
  await stores.stop();
});

async function replica(env: Record<string, string> = {}) {
  const processes = new Processes(stores.database, { api: true, worker: false });
  await processes.start();
  started.push(processes);
  const configuration = new Configuration(readConfiguration(env).env);
  return { processes, sockets: new StreamSockets(stores.database, processes, configuration) };
}

const ownerOf = (id: string, streamsMax = 8) => ({ id, streamsMax });

async function rowsOf(user: UserId): Promise<string[]> {
  const rows = await stores.database.query<{ id: string }>('SELECT id FROM stream_sockets WHERE user_id = $1', [user]);
  return rows.map(({ id }) => id);
}

describe('stream sockets', () => {
  it('admits exactly as many streams of a user as allowed, however many ask at once on all replicas', async () => {
    const replicas = await Promise.all([replica(), replica(), replica()]);
    for (let round = 0; round < 5; round += 1) {
      const user = newUserId();
      const asked = Array.from({ length: 60 }, (_, index) => replicas[index % 3]!.sockets.acquire(ownerOf(user)));
      const given = (await Promise.all(asked)).filter((id) => id !== null);
      expect(given).toHaveLength(8);
      expect((await rowsOf(user)).sort()).toEqual(given.sort());
    }
  });

  it('admits as many streams of a replica as allowed', async () => {
    const { sockets } = await replica({ STREAMS_PER_REPLICA: '5' });
    const given = (await Promise.all(Array.from({ length: 20 }, () => sockets.acquire(ownerOf(newUserId()))))).filter(
      (id) => id !== null,
    );
    expect(given).toHaveLength(5);
    sockets.release(given[0]!);
    sockets.release(given[0]!);
    expect(await sockets.acquire(ownerOf(newUserId()))).not.toBeNull();
    expect(await sockets.acquire(ownerOf(newUserId()))).toBeNull();
  });

  it('does not count sockets of a process that is gone, sweeps them later, and lets it have them back when it is not', async () => {
    const [gone, alive] = [await replica(), await replica()];
    const user = newUserId();
    await gone.sockets.acquire(ownerOf(user, 2));
    await gone.sockets.acquire(ownerOf(user, 2));
    expect(await alive.sockets.acquire(ownerOf(user, 2))).toBeNull();
    const silent = (seconds: number) =>
      stores.database.query(`UPDATE processes SET heartbeat_at = now() - $2 * interval '1 s' WHERE id = $1`, [
        gone.processes.id,
        seconds,
      ]);
    await gone.processes.stop();
    expect(await alive.sockets.acquire(ownerOf(user, 2))).not.toBeNull();
    await gone.processes.start();
    await silent(50);
    await alive.sockets.tidy();
    expect(await rowsOf(user)).toHaveLength(3);
    await silent(70);
    await alive.sockets.tidy();
    expect(await rowsOf(user)).toHaveLength(1);
    await gone.sockets.tidy();
    expect(await rowsOf(user)).toHaveLength(3);
  });

  it('removes rows that nobody has open: of an open whose answer was lost', async () => {
    const { processes, sockets } = await replica();
    const user = newUserId();
    const kept = await sockets.acquire(ownerOf(user));
    await stores.database.query(
      `INSERT INTO stream_sockets (id, process_id, user_id, opened_at)
       VALUES (gen_random_uuid(), $1, $2, now() - interval '2 minutes')`,
      [processes.id, user],
    );
    await sockets.tidy();
    expect(await rowsOf(user)).toEqual([kept]);
    await sockets.beforeApplicationShutdown();
    expect(await rowsOf(user)).toEqual([]);
  });

  it('frees a place again when the database did not answer', async () => {
    const { sockets } = await replica({ STREAMS_PER_REPLICA: '1' });
    await expect(sockets.acquire(ownerOf('no uuid'))).rejects.toThrow('uuid');
    expect(await sockets.acquire(ownerOf(newUserId()))).not.toBeNull();
  });
});
