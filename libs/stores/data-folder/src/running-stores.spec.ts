import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findRunningStores, removeRunningStores, writeRunningStores } from './running-stores';

const stores = { databaseUrl: 'postgres://a', eventStoreUrl: 'unix:/b', managementPort: 9464 };
let folder: string;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'parley-running-'))));
afterEach(() => rm(folder, { recursive: true }));

describe('what a running npm start says of its stores', () => {
  it('is found while it runs, by its owner only, and gone when it is taken back', async () => {
    expect(await findRunningStores(folder)).toBeNull();
    await writeRunningStores(folder, stores);
    expect((await stat(join(folder, 'running.json'))).mode & 0o777).toBe(0o600);
    expect(await findRunningStores(folder)).toEqual(stores);
    await removeRunningStores(folder);
    await removeRunningStores(folder);
    expect(await findRunningStores(folder)).toBeNull();
  });

  it('counts for nothing when another process has its id by now', async () => {
    await writeRunningStores(folder, stores);
    const file = join(folder, 'running.json');
    const record = JSON.parse(await readFile(file, 'utf8')) as { began: string };
    await writeFile(file, JSON.stringify({ ...record, began: `${Number(record.began) - 1}` }));
    expect(await findRunningStores(folder)).toBeNull();
    // Systems without /proc do not say when a process began.
    await writeFile(file, JSON.stringify({ ...record, began: null }));
    expect(await findRunningStores(folder)).toEqual(stores);
  });

  it('counts for nothing when that process is gone', async () => {
    // No system of ours assigns this id.
    await writeFile(join(folder, 'running.json'), JSON.stringify({ pid: 2 ** 30, ...stores }));
    expect(await findRunningStores(folder)).toBeNull();
  });
});
