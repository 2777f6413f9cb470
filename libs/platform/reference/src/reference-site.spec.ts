import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfiguration } from '@app/settings';
import { ReferenceSite } from './reference-site';

const access = { partnerKey: 'pk_here', userToken: 'token_here', userId: 'user_here', operatorToken: 'operator_here' };
const own = '127.0.0.1:8080';
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-reference-'));
  await writeFile(join(folder, 'sandbox.json'), JSON.stringify(access));
});
afterAll(() => rm(folder, { recursive: true }));

function site(mode: 'sandbox' | 'production', dataDir = folder): ReferenceSite {
  const wallets = { WALLET_PROVIDER: 'near-intents', SOLVER_RELAY_TOKEN: 'for-the-relay' };
  const production = { OIDC_ISSUER: 'https://login.example', ...wallets };
  const configuration = readConfiguration({
    PARLEY_MODE: mode,
    PARLEY_DATA_DIR: dataDir,
    PARLEY_SECRET_KEY: randomBytes(32).toString('base64'),
    ...(mode === 'production' && production),
  });
  return new ReferenceSite(configuration, () => ({}));
}

describe('the credentials on the reference', () => {
  it('are those of sandbox.json, without the operator’s', async () => {
    const page = await site('sandbox').referencePage(own, '127.0.0.1');
    for (const value of [access.partnerKey, access.userToken, access.userId]) expect(page).toContain(value);
    expect(page).not.toContain(access.operatorToken);
  });

  it.each([
    ['evil.example', '127.0.0.1'],
    ['evil.example:8080', '127.0.0.1'],
    ['127.0.0.1.evil.example', '127.0.0.1'],
    [own, '192.0.2.7'],
    [undefined, '127.0.0.1'],
  ])('are not for the host %s at %s', async (host, address) => {
    expect(await site('sandbox').referencePage(host, address)).not.toContain('pk_here');
  });

  it('are never there in production', async () => {
    expect(await site('production').referencePage(own, '127.0.0.1')).not.toContain('pk_here');
  });

  it('are not there before the sandbox is ready, and a broken file is no page', async () => {
    const empty = await mkdtemp(join(tmpdir(), 'parley-reference-'));
    expect(await site('sandbox', empty).referencePage(own, '127.0.0.1')).toContain('id="sandbox-access">null<');
    await writeFile(join(empty, 'sandbox.json'), '{"partnerKey": ');
    await expect(site('sandbox', empty).referencePage(own, '127.0.0.1')).rejects.toThrow();
    await rm(empty, { recursive: true });
  });

  it('cannot end the element that holds them', async () => {
    const folderOfEvil = await mkdtemp(join(tmpdir(), 'parley-reference-'));
    const evil = { ...access, partnerKey: '</script><script>alert(1)</script>' };
    await writeFile(join(folderOfEvil, 'sandbox.json'), JSON.stringify(evil));
    expect(await site('sandbox', folderOfEvil).referencePage(own, '::1')).not.toContain('<script>alert');
    await rm(folderOfEvil, { recursive: true });
  });
});
