import { Client } from 'pg';
import { createTestDatabase, type Template } from '@app/testing/postgres';

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

describe('databases for tests', () => {
  it('are separate, and gone when dropped', async () => {
    const one = await createTestDatabase();
    const other = await createTestDatabase();
    await query(one.url, 'CREATE TABLE t (x int)');
    await query(other.url, 'CREATE TABLE t (x int)');
    const stillConnected = new Client({ connectionString: other.url });
    stillConnected.on('error', () => undefined);
    await stillConnected.connect();
    await Promise.all([one.drop(), other.drop(), one.drop()]);
    await expect(query(other.url, 'SELECT 1')).rejects.toThrow('does not exist');
  });

  it('are cloned from a template that is prepared once, even when many ask at once', async () => {
    const prepare = jest.fn((url: string) => query(url, 'CREATE TABLE t AS SELECT 42 AS x').then(() => undefined));
    const template: Template = { name: `template_${process.pid}_${Date.now()}`, prepare };
    const databases = await Promise.all(Array.from({ length: 6 }, () => createTestDatabase(template)));
    for (const { url } of databases) expect(await query(url, 'SELECT x FROM t')).toEqual([{ x: 42 }]);
    expect(prepare).toHaveBeenCalledTimes(1);
    await Promise.all(databases.map((database) => database.drop()));
  });
});
