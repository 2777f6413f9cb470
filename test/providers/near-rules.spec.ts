import { Logger } from '@nestjs/common';
import { Stage } from './contract-stage';
import { usdc } from './harness';
import { outcomeCases, refusedCases } from './near-outcomes';
import { startNearProvider } from './near-provider';
import { relayCases } from './near-relay';
import { answerInstead, operationSeconds } from './near-strangers';

/** Rules that the contract of all providers cannot check: those of the verifier contract, the relay and 1Click. */
describe('NEAR Intents', () => {
  const stage = new Stage(startNearProvider, operationSeconds);

  beforeAll(async () => {
    Logger.overrideLogger(false);
    await stage.open();
  });
  beforeEach(async () => {
    await stage.begin();
    stage.world.loopback.asked.length = 0;
  });
  afterEach(async () => {
    stage.world.loopback.instead = null;
    await stage.end();
  });
  afterAll(async () => {
    Logger.overrideLogger(true);
    await stage.close();
  });

  relayCases(stage);
  outcomeCases(stage);
  refusedCases(stage);

  describe('a main account', () => {
    it.each(['ab'.repeat(32), `0x${'ab'.repeat(20)}`, 'ada.near'])('is %s', async (account) =>
      expect(await stage.provider.isMainAccount(account)).toBe(true),
    );
    it.each(['3fa85f64-5717-4562-b3fc-2c963f66afa6', 'ada', 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq'])(
      'is not %s: nobody holds a key to it, and nothing is signed for it',
      async (mainAccountId) => {
        expect(await stage.provider.isMainAccount(mainAccountId)).toBe(false);
        const what = stage.order({ kind: 'withdraw', input: { tokenId: usdc, amountRaw: '1000000' }, mainAccountId });
        expect(await stage.provider.plan(what)).toEqual({
          ok: false,
          failure: { reason: 'provider_rejected', text: 'The main account does not exist on NEAR.' },
        });
      },
    );
  });

  it('offers the tokens that the contract can hold, and leaves a malformed one out alone', async () => {
    const good = { assetId: 'nep141:good.near', symbol: 'GOOD', decimals: 6, price: 1 };
    const odd = [{ ...good, assetId: '1cs_v1:btc:native:coin' }, { ...good, decimals: 'six' }, 'GOOD', null];
    answerInstead(stage.world, 'GET /v0/tokens', [...odd, good]);
    expect((await stage.provider.tokensCalled('good')).map(({ tokenId }) => tokenId)).toEqual([good.assetId]);
    expect(await stage.provider.findToken('1cs_v1:btc:native:coin')).toBeNull();
    expect(await stage.provider.holdings(stage.wallet)).toHaveLength(4);
  });

  it('tells a view that the contract ended from an outage', async () => {
    answerInstead(stage.world, 'query', {
      jsonrpc: '2.0',
      id: 'parley',
      result: { error: 'wasm execution failed', logs: [] },
    });
    await expect(stage.provider.holdings(stage.wallet)).rejects.toMatchObject({ reason: 'provider_unavailable' });
  });

  it('holds many tokens, some of which nobody describes', async () => {
    const tokenIds = Array.from({ length: 230 }, (_, index) => `nep141:${'junk'.repeat(20)}${index}.near`);
    for (const tokenId of tokenIds) await stage.world.fund(stage.wallet, { tokenId, amountRaw: '7' });
    const holdings = await stage.provider.holdings(stage.wallet);
    expect(holdings.length).toBe(230 + 4);
    const junk = holdings.find(({ tokenId }) => tokenId === tokenIds[229]);
    expect(junk).toMatchObject({ amountRaw: '7', decimals: null, priceUsdDecimal: null });
    expect(junk?.symbol.length).toBeLessThanOrEqual(64);
  });
});
