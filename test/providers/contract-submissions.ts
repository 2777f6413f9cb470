import { ether, indescribable, usdc, wNear } from './harness';
import { operationSeconds, settledAfterSeconds, type Stage } from './contract-stage';

/** Parallel repeats of one submission. */
const repeats = 20;

/** The promises of `submit` and `settlement`. */
export function submissionCases(stage: Stage): void {
  describe('submissions', () => {
    it('of a withdrawal land in the main account once they have settled, and not before', async () => {
      const submission = await stage.plan(stage.withdraw('1500000'));
      const taken = await stage.submit(submission);
      expect(taken).toMatchObject({ kind: 'accepted', providerReference: expect.stringMatching(/./) as unknown });
      const reference = taken.kind === 'accepted' ? taken.providerReference : '';
      expect(await stage.settlement(submission)).toMatchObject({ kind: 'pending', providerReference: reference });
      expect(await stage.holdings()).toMatchObject({ [usdc]: '250000000' });
      expect(await stage.world.received(stage.owner, usdc)).toBe(0n);
      stage.world.advance(settledAfterSeconds);
      expect(await stage.settlement(submission)).toEqual({
        kind: 'settled',
        providerReference: reference,
        output: null,
        returned: null,
      });
      expect(await stage.holdings()).toMatchObject({ [usdc]: '248500000' });
      expect(await stage.world.received(stage.owner, usdc)).toBe(1_500_000n);
    });

    it('can take all that the wallet has of a token, which it then holds no more', async () => {
      const submission = await stage.plan(stage.withdraw('250000000'));
      expect(await stage.submit(submission)).toMatchObject({ kind: 'accepted' });
      const more = await stage.provider.plan(stage.withdraw('1'));
      const refused = more.ok ? await stage.submit(more.submission) : more;
      expect(refused).toMatchObject({ failure: { reason: 'insufficient_balance' } });
      stage.world.advance(settledAfterSeconds);
      expect(await stage.settlement(submission)).toMatchObject({ kind: 'settled' });
      expect(Object.keys(await stage.holdings()).sort()).toEqual([ether, wNear, indescribable].sort());
      expect(await stage.world.received(stage.owner, usdc)).toBe(250_000_000n);
    });

    it('of a swap deliver what was quoted', async () => {
      const submission = await stage.plan(stage.swapUsdc('10000000'));
      await stage.submit(submission);
      stage.world.advance(settledAfterSeconds);
      expect(await stage.settlement(submission)).toMatchObject({ kind: 'settled', output: submission.output });
      const after = await stage.holdings();
      expect(after[usdc]).toBe('240000000');
      const delivered = BigInt(submission.output?.amountRaw ?? 0);
      expect(BigInt(after[wNear] ?? 0)).toBe(40_000_000_000_000_000_000_000_000n + delivered);
    });

    it('of a swap to an exact output deliver exactly that, for no more than the bound', async () => {
      const output = { tokenId: wNear, amountRaw: '1234567890123456789012345' };
      const inputMaxRaw = '200000000';
      const submission = await stage.plan(stage.swapFor(output, inputMaxRaw));
      await stage.submit(submission);
      stage.world.advance(settledAfterSeconds);
      expect(await stage.settlement(submission)).toMatchObject({ kind: 'settled', output });
      const spent = 250_000_000n - BigInt((await stage.holdings())[usdc] ?? 0);
      expect(spent <= BigInt(inputMaxRaw)).toBe(true);
      expect(spent > 0n).toBe(true);
    });

    it('have one effect, however often and at once they are sent, also after they settled', async () => {
      const submission = await stage.plan(stage.withdraw('1000000'));
      const answers = await Promise.all(Array.from({ length: repeats }, () => stage.submit(submission)));
      const references = answers.map((answer) => (answer.kind === 'accepted' ? answer.providerReference : 'rejected'));
      expect(new Set(references).size).toBe(1);
      stage.world.advance(settledAfterSeconds);
      expect(await stage.settlement(submission)).toMatchObject({ kind: 'settled' });
      expect(await stage.submit(submission)).toMatchObject({ kind: 'accepted', providerReference: references[0] });
      expect(await stage.holdings()).toMatchObject({ [usdc]: '249000000' });
      expect(await stage.world.received(stage.owner, usdc)).toBe(1_000_000n);
    });

    it('never take more than the wallet has, whichever of them win', async () => {
      const submissions = await Promise.all(Array.from({ length: 8 }, () => stage.plan(stage.withdraw('100000000'))));
      const answers = await Promise.all(submissions.map((submission) => stage.submit(submission)));
      const rejected = answers.filter((answer) => answer.kind !== 'accepted');
      expect(rejected).toHaveLength(6);
      for (const answer of rejected) expect(answer).toMatchObject({ failure: { reason: 'insufficient_balance' } });
      stage.world.advance(settledAfterSeconds);
      const ends = await Promise.all(submissions.map((submission) => stage.settlement(submission)));
      expect(ends.filter(({ kind }) => kind === 'settled')).toHaveLength(2);
      expect(await stage.holdings()).toMatchObject({ [usdc]: '50000000' });
    });

    it('that were rejected stay so, also once the wallet can pay; what was only refused may be taken', async () => {
      const [one, other] = [
        await stage.plan(stage.withdraw('200000000')),
        await stage.plan(stage.withdraw('200000000')),
      ];
      expect(await stage.submit(one)).toMatchObject({ kind: 'accepted' });
      const refusal = await stage.submit(other);
      expect(refusal).toMatchObject({ failure: { reason: 'insufficient_balance' } });
      await stage.world.fund(stage.wallet, { tokenId: usdc, amountRaw: '500000000' });
      const again = await stage.submit(other);
      stage.world.advance(settledAfterSeconds);
      const end = await stage.settlement(other);
      if (refusal.kind === 'rejected') expect([again, end.kind]).toEqual([refusal, 'failed']);
      else expect([again.kind, end.kind]).toEqual(['accepted', 'settled']);
    });

    it('are not taken after their deadline, and were never accepted then', async () => {
      const submission = await stage.plan(stage.withdraw('1000000'));
      stage.world.advance(operationSeconds);
      expect(await stage.settlement(submission)).toEqual({ kind: 'never_accepted', isFinal: true });
      expect(await stage.submit(submission)).toMatchObject({ failure: { reason: 'quote_expired' } });
      expect(await stage.settlement(submission)).toEqual({ kind: 'never_accepted', isFinal: true });
      expect(await stage.holdings()).toMatchObject({ [usdc]: '250000000' });
    });

    it('that are tampered with have no effect', async () => {
      const submission = await stage.plan(stage.withdraw('1000000'));
      const bytes = submission.bytes.replace('1000000', '9000000');
      expect(bytes).not.toBe(submission.bytes);
      expect((await stage.submit({ ...submission, bytes })).kind).not.toBe('accepted');
      stage.world.advance(settledAfterSeconds);
      expect(await stage.holdings()).toMatchObject({ [usdc]: '250000000' });
    });
  });
}
