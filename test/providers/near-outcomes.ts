import { SessionRejected } from '@app/wallets';
import { settledAfterSeconds, type Stage } from './contract-stage';
import { usdc } from './harness';
import type { NearUnderTest } from './near-provider';
import { answerInstead, execute, operationSeconds, relayTo, revocationOf } from './near-strangers';

const daySeconds = 24 * 60 * 60;
const relayForgets = { result: { status: 'NOT_FOUND_OR_NOT_VALID', intent_hash: 'x' } };
const relayFailed = { result: { ...relayForgets.result, status_details: 'FAILED' } };

/** The reported outcomes of a submission that was sent. */
export function outcomeCases(stage: Stage<NearUnderTest>): void {
  describe('what became of a submission', () => {
    it('says the contract, when the relay has forgotten it', async () => {
      const submission = await stage.plan(stage.withdraw('1000000'));
      await stage.submit(submission);
      stage.world.advance(settledAfterSeconds);
      answerInstead(stage.world, 'get_status', relayForgets);
      expect(await stage.settlement(submission)).toMatchObject({ kind: 'settled' });
      stage.world.advance(operationSeconds);
      expect(await stage.settlement(submission)).toMatchObject({ kind: 'settled' });
    });

    it('is reported only once the chain’s own time is past the deadline, when its execution failed', async () => {
      const submission = await stage.plan(stage.withdraw('1000000'));
      answerInstead(stage.world, 'get_status', relayFailed);
      expect(await stage.settlement(submission)).toMatchObject({ kind: 'pending', checkAt: submission.deadline });
      stage.world.advance(operationSeconds + 1);
      expect(await stage.settlement(submission)).toMatchObject({
        kind: 'failed',
        failure: { reason: 'provider_rejected' },
      });
    });

    it('cannot be said once the contract may have forgotten its nonce', async () => {
      const [kept, invalidated] = [
        await stage.plan(stage.withdraw('1000000')),
        await stage.plan(stage.withdraw('1000000')),
      ];
      stage.world.advance(operationSeconds + 1);
      expect(await stage.settlement(kept)).toEqual({ kind: 'never_accepted', isFinal: true });
      const salts = [...stage.world.chain.salts];
      stage.world.chain.salts.splice(0, Infinity, 'deadbeef');
      expect(await stage.settlement(invalidated)).toEqual({ kind: 'unknown' });
      stage.world.chain.salts.splice(0, Infinity, ...salts);
      stage.world.advance(daySeconds - operationSeconds - 2);
      expect(await stage.settlement(kept)).toEqual({ kind: 'never_accepted', isFinal: true });
      stage.world.advance(operationSeconds + 1);
      expect(await stage.settlement(kept)).toEqual({ kind: 'unknown' });
    });

    it('cannot be said of a swap that 1Click does not know, or failed over', async () => {
      const submission = await stage.plan(stage.swapUsdc('10000000'));
      await stage.submit(submission);
      answerInstead(stage.world, 'GET /v0/status', { status: 'FAILED', swapDetails: {} });
      expect(await stage.settlement(submission)).toEqual({ kind: 'unknown' });
      stage.world.loopback.instead = null;
      stage.world.advance(settledAfterSeconds);
      expect(await stage.settlement(submission)).toMatchObject({ kind: 'settled' });
    });

    it('tells what came back of a swap: what an exact output did not need, and of a refund all but the fee', async () => {
      const submission = await stage.plan(stage.swapUsdc('10000000'));
      await stage.submit(submission);
      const details = { amountOut: '7', refundedAmount: '120' };
      const returned = { tokenId: usdc, amountRaw: '120' };
      answerInstead(stage.world, 'GET /v0/status', { status: 'SUCCESS', swapDetails: details });
      expect(await stage.settlement(submission)).toMatchObject({
        kind: 'settled',
        output: { amountRaw: '7' },
        returned,
      });
      answerInstead(stage.world, 'GET /v0/status', { status: 'REFUNDED', swapDetails: { ...details, amountOut: '0' } });
      expect(await stage.settlement(submission)).toMatchObject({ kind: 'refunded', output: null, returned });
    });

    it('is hurried along when 1Click has not seen the deposit yet', async () => {
      const submission = await stage.plan(stage.swapUsdc('10000000'));
      await stage.submit(submission);
      answerInstead(stage.world, 'GET /v0/status', { status: 'PENDING_DEPOSIT', swapDetails: {} });
      expect(await stage.settlement(submission)).toMatchObject({ kind: 'pending' });
      expect(stage.world.loopback.asked).toContain('POST /v0/deposit/submit');
    });
  });
}

/** The effect of a refusal: the bytes remain valid until the contract says otherwise. */
export function refusedCases(stage: Stage<NearUnderTest>): void {
  describe('what was refused', () => {
    const whole = '250000000';

    it('because the balance was too small is executed when strangers bring the same bytes once the wallet was funded', async () => {
      const [one, other] = [await stage.plan(stage.withdraw(whole)), await stage.plan(stage.withdraw(whole))];
      expect(await stage.submit(one)).toMatchObject({ kind: 'accepted' });
      expect(await stage.submit(other)).toMatchObject({ kind: 'refused', failure: { reason: 'insufficient_balance' } });
      expect(await stage.settlement(other)).toEqual({ kind: 'never_accepted', isFinal: false });
      await stage.world.fund(stage.wallet, { tokenId: usdc, amountRaw: whole });
      expect(await execute(stage.world, other.bytes)).toBeNull();
      stage.world.advance(settledAfterSeconds);
      expect(await stage.settlement(other)).toMatchObject({ kind: 'settled' });
    });

    it('never can be executed once it was revoked', async () => {
      const [one, other] = [await stage.plan(stage.withdraw(whole)), await stage.plan(stage.withdraw(whole))];
      await stage.submit(one);
      await stage.submit(other);
      const revocation = await revocationOf(stage, other);
      await stage.provider.revocations?.send(stage.wallet, revocation);
      expect(await stage.provider.settlement(stage.wallet, other, revocation)).toEqual({
        kind: 'never_accepted',
        isFinal: true,
      });
      await stage.world.fund(stage.wallet, { tokenId: usdc, amountRaw: whole });
      expect(await execute(stage.world, other.bytes)).toBe('nonce was already used');
    });

    it('and executed before its revocation is settled, as far as the relay knows which of the two was executed', async () => {
      const [known, unknown] = [
        await stage.plan(stage.withdraw('1000000')),
        await stage.plan(stage.withdraw('1000000')),
      ];
      const revocations = [await revocationOf(stage, known), await revocationOf(stage, unknown)] as const;
      expect(await relayTo(stage.world, known.bytes)).toMatchObject({ status: 'OK' });
      expect(await execute(stage.world, unknown.bytes)).toBeNull();
      for (const revocation of revocations) await stage.provider.revocations?.send(stage.wallet, revocation);
      stage.world.advance(settledAfterSeconds);
      expect(await stage.provider.settlement(stage.wallet, known, revocations[0])).toMatchObject({ kind: 'settled' });
      expect(await stage.provider.settlement(stage.wallet, unknown, revocations[1])).toEqual({ kind: 'unknown' });
    });

    it('while the account was locked is executed once it is not any more', async () => {
      const submission = await stage.plan(stage.withdraw('1000000'));
      stage.world.chain.locked.add(stage.wallet.address);
      await expect(stage.submit(submission)).rejects.toBeInstanceOf(SessionRejected);
      await expect(stage.provider.connect(stage.wallet)).rejects.toBeInstanceOf(SessionRejected);
      expect(await stage.settlement(submission)).toEqual({ kind: 'never_accepted', isFinal: false });
      stage.world.chain.locked.delete(stage.wallet.address);
      expect(await stage.submit(submission)).toMatchObject({ kind: 'accepted' });
    });

    it('in words that are not the contract’s was not refused: nobody can tell', async () => {
      const submission = await stage.plan(stage.withdraw('1000000'));
      answerInstead(stage.world, 'publish_intent', {
        result: { status: 'FAILED', reason: 'solvers are asleep', intent_hash: 'x' },
      });
      await expect(stage.submit(submission)).rejects.toMatchObject({ reason: 'provider_unavailable' });
    });

    it('at its deadline may still be executed, and a moment later not', async () => {
      const submission = await stage.plan(stage.withdraw('1000000'));
      stage.world.advance(operationSeconds);
      expect(await stage.settlement(submission)).toEqual({ kind: 'never_accepted', isFinal: false });
      stage.world.advance(1);
      expect(await stage.settlement(submission)).toEqual({ kind: 'never_accepted', isFinal: true });
      expect(await execute(stage.world, submission.bytes)).toBe('deadline has expired');
    });
  });
}
