import { randomUUID } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { takeBackup } from '@app/database-copies';
import { madeDatabase } from '@app/testing/deployment';
import { createTestDatabase } from '@app/testing/postgres';
import { Client } from 'pg';
import { refuseKeysPlace, writeKeys } from '../src/keys-file';

let folder: string;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'parley-keys-'))));
afterEach(() => rm(folder, { recursive: true }));

it.each([
  ['a name that begins like a way out', async () => join(folder, 'backup', '..keys')],
  [
    'a link to the folder',
    async () => {
      await mkdir(join(folder, 'backup'));
      await symlink(join(folder, 'backup'), join(folder, 'link'));
      return join(folder, 'link', 'new', 'keys');
    },
  ],
])('refuses a place for keys in the folder of their backup, by %s', async (_, placeOf) => {
  await expect(refuseKeysPlace(await placeOf(), join(folder, 'backup'))).rejects.toThrow(
    /is in the folder of the backup/,
  );
});

it('takes a place next to the folder', async () => {
  await refuseKeysPlace(join(folder, 'backup.keys'), join(folder, 'backup'));
  await refuseKeysPlace(join(folder, '..keys'), join(folder, 'backup'));
});

describe('two backups with one place for their keys', () => {
  let source: Awaited<ReturnType<typeof createTestDatabase>>;
  beforeEach(async () => {
    source = await createTestDatabase(madeDatabase);
    const client = await connected();
    await client.query("INSERT INTO sealing_keys (key_id, wrapped) VALUES ('d/test', 'wrapped')");
    await client.end();
  });
  afterEach(() => source.drop());

  async function connected(): Promise<Client> {
    const client = new Client({ connectionString: source.url });
    await client.connect();
    return client;
  }

  it('never gives the keys of one the name of the other', async () => {
    const [keys, unfinished] = [join(folder, 'keys'), join(folder, '.keys.unfinished')];
    const client = await connected();
    const other = () => {
      rmSync(unfinished, { force: true });
      writeFileSync(unfinished, 'the beginning of the keys of the other');
    };
    const writing = writeKeys(client, keys, randomUUID(), other).finally(() => client.end());
    await expect(writing).rejects.toThrow(/another backup writes its keys to/);
    expect(await readdir(folder)).toEqual(['.keys.unfinished']);
  });

  it('never loses the keys of the one that was complete first', async () => {
    const keysTo = join(folder, 'keys');
    const onProgress = () => {
      writeFileSync(keysTo, 'the keys of the other');
      return () => undefined;
    };
    const backup = { databaseUrl: source.url, dataDir: join(folder, 'data'), to: join(folder, 'backup'), keysTo };
    await expect(takeBackup(backup, onProgress)).rejects.toThrow(/is there already/);
    expect(await readFile(keysTo, 'utf8')).toBe('the keys of the other');
    expect(await readdir(backup.to)).toEqual([]);
  });
});
