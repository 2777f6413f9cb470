import { randomBytes, randomUUID } from 'node:crypto';
import { asId, type OperationId, type UserId, type WalletId } from '@app/kernel';
import { SessionRejected, WalletProvider, Wallets } from '@app/wallets';
import { away, changed, eventsOf, type Prepared, twoReplicas, usdc, WalletUser } from '@app/testing/slices';

const claim = 'near_account';
const ready = { status: 200, body: { authStatus: 'ready' } };
const required = { status: 200, body: { authStatus: 'authorization_required' } };

const stage = twoReplicas();
const { faults, owner, prepare, confirm } = stage;
const user = (subject: string) => WalletUser.provisioned(stage.slices, stage.replica, subject);

describe('a wallet', () => {
  it('is not there before the first ensure', async () => {
    const ada = await user('nobody');
    const id = '0b7a3b7e-0000-7000-8000-000000000001';
    for (const [method, path, body] of [
      ['GET', '/wallet'],
      ['GET', '/wallet/withdrawals/sources'],
      ['POST', '/wallet/withdrawals', { tokenId: usdc, amountRaw: '0' }],
      ['POST', `/wallet/withdrawals/${id}/confirm`, { fingerprint: 'x' }],
      ['POST', '/wallet/withdrawals/no-id/confirm', { fingerprint: 'x' }],
      ['GET', `/financial-operations/${id}`],
    ] as const)
      expect(await ada.call(stage.replica, method, path, body)).toMatchObject({ status: 404 });
    expect((await ada.call(stage.replica, 'GET', '/financial-operations')).body).toEqual({
      data: [],
      nextCursor: null,
      total: 0,
    });
  });

  it('is made once, no matter who ensures it and how often', async () => {
    const ada = await user('ada');
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) => ada.call(index % 2 ? stage.replica : stage.other, 'POST', '/wallet')),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const view = (await ada.call(stage.other, 'GET', '/wallet')).body;
    expect(view).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      address: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      intentsAccountId: view['address'],
      status: 'active',
      authStatus: 'ready',
      createdAt: expect.stringMatching(/Z$/) as string,
    });
    expect(view['id']).not.toBe(ada.userId);
    for (const { body } of answers) expect(body).toEqual(view);
    const events = await eventsOf(stage.replica, [`wallet-${ada.userId}`]);
    expect(events.map(({ type }) => type)).toEqual(['wallet.created', 'wallet.main_account_set', 'wallet.connected']);
  });

  it('is connected once by any number of connections at once, of both replicas', async () => {
    const providers = [stage.replica, stage.other].map((replica) => replica.get(WalletProvider));
    for (let round = 0; round < 100; round += 1) {
      const account = {
        userId: asId<UserId>(randomUUID()),
        walletId: asId<WalletId>(randomUUID()),
        address: randomBytes(32).toString('hex'),
      };
      await Promise.all(Array.from({ length: 8 }, () => providers.map((provider) => provider.connect(account))).flat());
      expect(await providers[0]?.hasSession(account)).toBe(true);
    }
  });

  it('exists as pending while the provider is away, and is ready as soon as it is back', async () => {
    const eve = await user('eve');
    await faults().change({ down: true });
    expect(await eve.call(stage.replica, 'POST', '/wallet')).toMatchObject(away);
    expect(await eve.call(stage.other, 'GET', '/wallet')).toMatchObject({
      status: 200,
      body: { authStatus: 'pending' },
    });
    expect(await eve.call(stage.other, 'GET', '/wallet/withdrawals/sources')).toMatchObject(away);
    expect(await prepare(eve)).toMatchObject(changed('authorization_required'));
    await faults().change({ down: false });
    expect(await eve.call(stage.other, 'GET', '/wallet/withdrawals/sources')).toMatchObject(away);
    expect(await eve.call(stage.other, 'GET', '/wallet')).toMatchObject({ body: { authStatus: 'pending' } });
    expect(await eve.call(stage.other, 'POST', '/wallet')).toMatchObject(ready);
  });

  it('needs its owner when the provider rejects its session', async () => {
    const rob = await owner('rob');
    const prepared = (await prepare(rob)).body;
    await faults().change({ sessionRejected: true });
    const refused = changed('authorization_required');
    // Detected on the first read, and remembered afterwards.
    for (let times = 0; times < 2; times += 1)
      expect(await rob.call(stage.other, 'GET', '/wallet/withdrawals/sources')).toMatchObject(refused);
    expect(await rob.call(stage.replica, 'GET', '/wallet')).toMatchObject(required);
    expect(await prepare(rob)).toMatchObject(refused);
    expect(await confirm(rob, prepared)).toMatchObject(refused);
    expect(await rob.call(stage.other, 'POST', '/wallet')).toMatchObject(ready);
    expect(await confirm(rob, prepared)).toMatchObject({ status: 202 });
  });

  it('finds out at a prepare or a confirm as well', async () => {
    const [one, two] = [await owner('rob one'), await owner('rob two')];
    const prepared = (await prepare(two)).body;
    await faults().change({ sessionRejected: true });
    expect(await prepare(one)).toMatchObject(changed('authorization_required'));
    expect(await confirm(two, prepared)).toMatchObject(changed('authorization_required'));
    for (const user of [one, two]) expect(await user.call(stage.other, 'GET', '/wallet')).toMatchObject(required);
  });
});

describe('ensuring a wallet that is there', () => {
  const walletOf = (of: WalletUser) => of.call(stage.other, 'POST', '/wallet');
  const sourcesOf = (of: WalletUser) => of.call(stage.replica, 'GET', '/wallet/withdrawals/sources');
  const sessionsOf = async (of: WalletUser) =>
    (await eventsOf(stage.replica, [`wallet-${of.userId}`]))
      .map(({ type }) => type)
      .filter((type) => ['wallet.connected', 'wallet.session_rejected'].includes(type));

  it('connects it again when the provider has rejected its session, though nobody had found out', async () => {
    const ann = await owner('ann');
    await faults().change({ sessionRejected: true });
    expect(await walletOf(ann)).toMatchObject(ready);
    expect((await sourcesOf(ann)).status).toBe(200);
    expect(await sessionsOf(ann)).toEqual(['wallet.connected', 'wallet.session_rejected', 'wallet.connected']);
    expect(await walletOf(ann)).toMatchObject(ready);
    expect(await sessionsOf(ann)).toHaveLength(3);
  });

  it('is a 503 while the provider is away, and leaves it as it was', async () => {
    const [ben, bob] = [await owner('ben away'), await owner('bob away')];
    await faults().change({ sessionRejected: true });
    expect(await sourcesOf(bob)).toMatchObject(changed('authorization_required'));
    await faults().change({ down: true });
    expect(await walletOf(ben)).toMatchObject(away);
    expect(await walletOf(bob)).toMatchObject(away);
    expect(await ben.call(stage.other, 'GET', '/wallet')).toMatchObject({ body: { authStatus: 'ready' } });
    expect(await bob.call(stage.other, 'GET', '/wallet')).toMatchObject(required);
  });

  it('says that authorization is required while the provider takes no session of it', async () => {
    const cat = await owner('cat');
    await faults().change({ sessionRejected: true });
    const refusing = jest
      .spyOn(stage.other.get(WalletProvider), 'connect')
      .mockRejectedValue(new SessionRejected('a test'));
    try {
      expect(await walletOf(cat)).toMatchObject(required);
    } finally {
      refusing.mockRestore();
    }
    expect(await sourcesOf(cat)).toMatchObject(changed('authorization_required'));
    expect(await walletOf(cat)).toMatchObject(ready);
  });
});

describe('withdrawal sources', () => {
  interface Sources {
    readonly assets: readonly Record<string, unknown>[];
    readonly mainAccountId: string;
    readonly agentAccountId: string;
    readonly asOf: string;
  }
  const sources = async (of: WalletUser) =>
    (await of.call<Sources>(stage.other, 'GET', '/wallet/withdrawals/sources')).body;

  it('are shown richest first, what has no price last', async () => {
    const sue = await owner('sue');
    const seen = await sources(sue);
    expect(seen.assets.map(({ symbol }) => symbol)).toEqual(['USDC', 'ETH', 'wNEAR', '1100_sandbox']);
    expect(seen.assets[0]).toEqual({
      tokenId: usdc,
      symbol: 'USDC',
      name: 'USD Coin',
      decimals: 6,
      amountRaw: '250000000',
      priceUsdDecimal: expect.stringMatching(/^1(\.0+)?$/) as string,
      valueUsdCents: '25000',
      iconUrl: expect.stringMatching(/^https:/) as string,
      withdrawable: true,
    });
    expect(seen.assets[3]).toMatchObject({
      decimals: null,
      amountRaw: '1000',
      priceUsdDecimal: null,
      valueUsdCents: null,
      withdrawable: false,
    });
    expect(seen.assets.map(({ withdrawable }) => withdrawable)).toEqual([true, true, true, false]);
    const { address } = (await sue.call(stage.replica, 'GET', '/wallet')).body;
    expect(seen.agentAccountId).toBe(address);
    expect(seen.mainAccountId).toMatch(/^[0-9a-f]{64}$/);
    expect(seen.mainAccountId).not.toBe(address);
    await faults().change({ unpriced: true });
    const unpriced = await sources(sue);
    expect(unpriced.assets.map(({ valueUsdCents }) => valueUsdCents)).toEqual([null, null, null, null]);
    expect(unpriced.assets.map(({ tokenId }) => tokenId)).toEqual(unpriced.assets.map(({ tokenId }) => tokenId).sort());
  });

  it('leave out what is on its way', async () => {
    const flo = await owner('flo');
    expect((await confirm(flo, (await prepare(flo, '249999999')).body)).status).toBe(202);
    expect((await sources(flo)).assets.find(({ tokenId }) => tokenId === usdc)).toMatchObject({ amountRaw: '1' });
    expect(await prepare(flo, '2')).toMatchObject(changed('insufficient_balance'));
    expect((await confirm(flo, (await prepare(flo, '1')).body)).status).toBe(202);
    expect((await sources(flo)).assets.map(({ symbol }) => symbol)).not.toContain('USDC');
    expect(await prepare(flo, '1')).toMatchObject(changed('insufficient_balance'));
  });

  it('yield to what was confirmed, but an operation on its way only to what was sent before it', async () => {
    const uma = await owner('uma');
    const { operationId, ...prepared } = (await prepare(uma, '200000000')).body;
    await confirm(uma, { operationId, ...prepared });
    const left = async (except?: string) => {
      const options = except === undefined ? {} : { exceptOperationId: asId<OperationId>(except) };
      const spendable = await stage.other.get(Wallets).spendable(asId<UserId>(uma.userId), options);
      return spendable.ok ? spendable.value.find(({ tokenId }) => tokenId === usdc)?.amountRaw : spendable.refusal;
    };
    expect([await left(), await left(operationId)]).toEqual(['50000000', '250000000']);
    expect(await left('0b7a3b7e-0000-7000-8000-000000000001')).toBe('250000000');
  });

  it('need the provider', async () => {
    const sam = await owner('sam');
    await faults().change({ down: true });
    expect(await sam.call(stage.other, 'GET', '/wallet/withdrawals/sources')).toMatchObject(away);
  });
});

describe('the main account', () => {
  it('is what the user’s token says, and nothing can be withdrawn without it', async () => {
    const claiming = await stage.slices.replica({ projecting: false, env: { OIDC_MAIN_ACCOUNT_CLAIM: claim } });
    const named = (account?: string) =>
      WalletUser.provisioned(stage.slices, stage.replica, 'mia', account === undefined ? {} : { [claim]: account });
    const mia = await named('mia.near');
    await mia.call(claiming, 'POST', '/wallet');
    expect(await mia.call(claiming, 'GET', '/wallet/withdrawals/sources')).toMatchObject({
      body: { mainAccountId: 'mia.near' },
    });
    const ask = { tokenId: usdc, amountRaw: '1' };
    const { body } = await mia.call<Prepared>(claiming, 'POST', '/wallet/withdrawals', ask);
    expect(body.mainAccountId).toBe('mia.near');

    const silent = await named();
    expect(await silent.call(claiming, 'GET', '/wallet/withdrawals/sources')).toMatchObject(away);
    expect(await silent.call(claiming, 'POST', '/wallet/withdrawals', ask)).toMatchObject(
      changed('main_account_missing'),
    );
    for (const other of [silent, await named('eve.near')])
      expect(await confirm(other, body, claiming)).toMatchObject(changed('main_account_missing'));
    expect((await confirm(mia, body, claiming)).status).toBe(202);

    await (await named('new.near')).call(claiming, 'POST', '/wallet');
    await silent.call(claiming, 'POST', '/wallet');
    const accounts = (await eventsOf(stage.replica, [`wallet-${mia.userId}`])).map(
      ({ payload }) => payload['mainAccountId'],
    );
    expect(accounts.filter((account) => account !== undefined)).toEqual(['mia.near', 'new.near']);
  });
});
