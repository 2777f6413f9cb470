import { ether, indescribable, usdc, wNear } from './harness';
import type { Stage } from './contract-stage';

/** The promises about the holdings of wallets and the descriptions of tokens. */
export function walletCases(stage: Stage): void {
  describe('wallets and tokens', () => {
    it('start with a balance, once, however often they connect', async () => {
      await Promise.all(Array.from({ length: 5 }, () => stage.provider.connect(stage.wallet)));
      expect(await stage.holdings()).toEqual({
        [usdc]: '250000000',
        [wNear]: '40000000000000000000000000',
        [ether]: '50000000000000000',
        [indescribable]: expect.stringMatching(/^[1-9]\d*$/) as unknown,
      });
    });

    it('are described with what the provider knows, and null for what it does not', async () => {
      const held = await stage.provider.holdings(stage.wallet);
      expect(held.find(({ tokenId }) => tokenId === usdc)).toMatchObject({ symbol: 'USDC', decimals: 6 });
      expect(held.find(({ tokenId }) => tokenId === indescribable)).toMatchObject({
        decimals: null,
        priceUsdDecimal: null,
      });
      for (const { symbol, name: tokenName, priceUsdDecimal, iconUrl } of held) {
        expect(symbol).toMatch(/^.{1,64}$/);
        expect(tokenName).toMatch(/^.{1,256}$/);
        expect(priceUsdDecimal ?? '1').toMatch(/^(0|[1-9]\d*)(\.\d+)?$/);
        expect(iconUrl ?? 'https://').toMatch(/^https:\/\//);
      }
    });

    it('are found by id, and by symbol in any case; NEAR is wNEAR', async () => {
      const called = async (symbol: string) =>
        (await stage.provider.tokensCalled(symbol)).map(({ tokenId }) => tokenId);
      expect((await stage.provider.findToken(usdc))?.tokenId).toBe(usdc);
      for (const symbol of ['NEAR', 'near', 'wNEAR', 'WNEAR']) expect(await called(symbol)).toEqual([wNear]);
      expect(await called('uSdC')).toEqual([usdc]);
      for (const symbol of ['NOPE', '', usdc]) expect(await called(symbol)).toEqual([]);
      for (const tokenId of ['nep141:nobody.near', '', 'USDC']) {
        expect(await stage.provider.findToken(tokenId)).toBeNull();
      }
    });

    it('have no price, or no decimals, when the provider says so', async () => {
      await stage.world.setFaults({ unpriced: true });
      expect(await stage.provider.findToken(usdc)).toMatchObject({ decimals: 6, priceUsdDecimal: null });
      expect(await stage.failureOf(stage.swapUsdc('5000000'))).toBe('provider_rejected');
      expect(await stage.failureOf(stage.withdraw('5000000'))).toBe('planned');
      await stage.world.setFaults({ unpriced: false, undescribed: true });
      expect(await stage.provider.findToken(usdc)).toMatchObject({ decimals: null });
      expect((await stage.provider.holdings(stage.wallet)).every(({ decimals }) => decimals === null)).toBe(true);
    });
  });
}

/** The promises of `plan`. */
export function planCases(stage: Stage): void {
  describe('plans', () => {
    it('have no effect, and say what is sent, from what, until when', async () => {
      const before = await stage.holdings();
      const what = stage.withdraw('1500000');
      const submission = await stage.plan(what);
      expect(submission).toMatchObject({
        key: what.key,
        attempt: 1,
        input: { tokenId: usdc, amountRaw: '1500000' },
        output: null,
      });
      expect(submission.deadline <= what.latestDeadline).toBe(true);
      expect(submission.deadline > stage.world.now()).toBe(true);
      expect(await stage.settlement(submission)).toEqual({ kind: 'never_accepted', isFinal: false });
      expect(await stage.holdings()).toEqual(before);
    });

    it('are refused for more than the wallet has, for unknown tokens, and for nothing at all', async () => {
      expect(await stage.failureOf(stage.withdraw('250000001'))).toBe('insufficient_balance');
      expect(await stage.failureOf(stage.withdraw('1', 'nep141:nobody.near'))).not.toBe('planned');
      expect(await stage.failureOf(stage.withdraw('0'))).not.toBe('planned');
      expect(await stage.failureOf(stage.swapUsdc('250000001'))).toBe('insufficient_balance');
    });

    it('quote a swap by the prices: exact input rounds what comes out down', async () => {
      await stage.world.pinPrice(usdc, '1');
      await stage.world.pinPrice(wNear, '3');
      const submission = await stage.plan(stage.swapUsdc('10000000'));
      expect(submission.input).toEqual({ tokenId: usdc, amountRaw: '10000000' });
      expect(submission.output).toEqual({ tokenId: wNear, amountRaw: '3333333333333333333333333' });
    });

    it('quote a swap by the prices: exact output rounds what goes in up, within its bound', async () => {
      await stage.world.pinPrice(usdc, '1');
      await stage.world.pinPrice(wNear, '3');
      const output = { tokenId: wNear, amountRaw: '1000000000000000000000001' };
      expect((await stage.plan(stage.swapFor(output, '3000001'))).input).toEqual({
        tokenId: usdc,
        amountRaw: '3000001',
      });
      expect(await stage.failureOf(stage.swapFor(output, '3000000'))).toBe('insufficient_balance');
    });
  });
}
