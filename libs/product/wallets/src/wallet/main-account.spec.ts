import { asId, type UserId } from '@app/kernel';
import { readConfiguration } from '@app/settings';
import { mainAccountOf } from './owner';

const userId = asId<UserId>('0b7a3b7e-0000-5000-8000-000000000001');
const named = readConfiguration({ OIDC_MAIN_ACCOUNT_CLAIM: 'near_account' });
const by = (near_account: string | number) => mainAccountOf(named, userId, { near_account });

describe('the main account', () => {
  it('is derived in a sandbox, one for each user', () => {
    const derived = mainAccountOf(readConfiguration({}), userId, {});
    expect(derived).toMatch(/^[0-9a-f]{64}$/);
    expect(mainAccountOf(readConfiguration({}), userId, null)).toBe(derived);
    expect(mainAccountOf(readConfiguration({}), asId(`1${userId.slice(1)}`), {})).not.toBe(derived);
  });

  it('is not derived for a chain that is not on this machine: nobody holds the key', () => {
    const near = { WALLET_PROVIDER: 'near-intents' };
    expect(mainAccountOf(readConfiguration(near), userId, {})).toBeNull();
    const here = { ...near, NEAR_RPC_URL: 'http://127.0.0.1:3030/near' };
    expect(mainAccountOf(readConfiguration(here), userId, {})).toMatch(/^[0-9a-f]{64}$/);
  });

  it.each(['ada.near', 'a-b_c.d.near', '0f'.repeat(32)])('is what the claim names: %s', (account) =>
    expect(by(account)).toBe(account),
  );

  it.each(['', 'a', 'Ada.near', 'ada..near', '.near', 'ada-', 'a'.repeat(65), 'ada near', 7])(
    'is none when the claim is %p',
    (account) => expect(by(account)).toBeNull(),
  );

  it('is none without the claim, also in a sandbox', () => {
    expect([mainAccountOf(named, userId, {}), mainAccountOf(named, userId, null)]).toEqual([null, null]);
  });
});
