import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureSecrets, readSecrets, SecretsDamaged } from './secrets';

let folder: string;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'parley-secrets-'))));
afterEach(() => rm(folder, { recursive: true }));

describe('the secrets of a data folder', () => {
  it('are made once, for their owner only', async () => {
    expect(await readSecrets(folder)).toBeNull();
    const made = await ensureSecrets(folder);
    expect((await stat(join(folder, 'secrets.json'))).mode & 0o777).toBe(0o600);
    expect([await ensureSecrets(folder), await readSecrets(folder)]).toEqual([made, made]);
  });

  it.each([
    ['an unfinished line', '{"secretKey": "hunter2'],
    ['other words', 'hunter2'],
    ['nothing', ''],
    ['no key', '{"partnerKey": "pk_hunter2"}'],
    ['a short key', '{"secretKey": "eA==", "partnerKey": "pk_hunter2"}'],
    ['no partner key', `{"secretKey": "${'hunter2'.repeat(8)}", "partnerKey": "hunter2"}`],
  ])('are not replaced when the file holds %s, which nobody is shown', async (_what, text) => {
    await writeFile(join(folder, 'secrets.json'), text);
    const refused = await ensureSecrets(folder).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(SecretsDamaged);
    expect(String(refused)).toMatch(/secrets\.json is damaged: put it back from a backup/);
    expect(String(refused)).not.toContain('hunter2');
    expect(await readFile(join(folder, 'secrets.json'), 'utf8')).toBe(text);
  });
});
