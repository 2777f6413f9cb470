import { SessionRejected } from '@app/wallets';
import { randomUUID } from 'node:crypto';
import { usdc, wNear } from './harness';
import { operationSeconds, providerAway, settledAfterSeconds, type Stage } from './contract-stage';

/** The promises that hold whatever goes wrong. */
export function troubleCases(stage: Stage): void {
  describe('when things go wrong', () => {
    it('a submission that never arrived can be sent again', async () => {
      const submission = await stage.plan(stage.withdraw('1000000'));
      await stage.world.setFaults({ submit: 'timeout_before_accept' });
      await expect(stage.submit(submission)).rejects.toMatchObject(providerAway);
      expect(await stage.settlement(submission)).toEqual({ kind: 'never_accepted', isFinal: false });
      await stage.world.setFaults({ submit: 'ok' });
      expect(await stage.submit(submission)).toMatchObject({ kind: 'accepted' });
      stage.world.advance(settledAfterSeconds);
      expect(await stage.settlement(submission)).toMatchObject({ kind: 'settled' });
      expect(await stage.world.received(stage.owner, usdc)).toBe(1_000_000n);
    });

    it('a submission whose answer was lost is found, and has one effect when it is sent again', async () => {
      const submission = await stage.plan(stage.withdraw('1000000'));
      await stage.world.setFaults({ submit: 'timeout_after_accept' });
      await expect(stage.submit(submission)).rejects.toMatchObject(providerAway);
      expect(await stage.settlement(submission)).toMatchObject({ kind: 'pending' });
      await stage.world.setFaults({ submit: 'ok' });
      expect(await stage.submit(submission)).toMatchObject({ kind: 'accepted' });
      stage.world.advance(settledAfterSeconds);
      expect(await stage.settlement(submission)).toMatchObject({ kind: 'settled' });
      expect(await stage.world.received(stage.owner, usdc)).toBe(1_000_000n);
    });

    it('a submission that cannot be found at first is not declared lost', async () => {
      const submission = await stage.plan(stage.withdraw('1000000'));
      await stage.world.setFaults({ submit: 'not_found_first', settleAfterSeconds: 600 });
      await stage.submit(submission).catch((error: unknown) => expect(error).toMatchObject(providerAway));
      expect(['unknown', 'pending']).toContain((await stage.settlement(submission)).kind);
      stage.world.advance(300);
      expect(['unknown', 'pending']).toContain((await stage.settlement(submission)).kind);
      stage.world.advance(300 + settledAfterSeconds);
      expect(await stage.settlement(submission)).toMatchObject({ kind: 'settled' });
      expect(await stage.world.received(stage.owner, usdc)).toBe(1_000_000n);
    });

    it('a refused order moves nothing, and can do nothing once it has expired', async () => {
      const submission = await stage.plan(stage.withdraw('1000000'));
      await stage.world.setFaults({ submit: 'reject' });
      const refusal = await stage.submit(submission);
      expect(refusal).toMatchObject({ failure: { reason: 'provider_rejected' } });
      // A provider without a record of what it refused answers that it never accepted it.
      expect(['failed', 'never_accepted']).toContain((await stage.settlement(submission)).kind);
      stage.world.advance(settledAfterSeconds);
      expect(await stage.holdings()).toMatchObject({ [usdc]: '250000000' });
      await stage.world.setFaults({ submit: 'ok' });
      // A rejection is final; a refused submission may be accepted until it expires.
      if (refusal.kind === 'rejected') expect(await stage.submit(submission)).toMatchObject(refusal);
      stage.world.advance(operationSeconds);
      expect(['failed', 'never_accepted']).toContain((await stage.settlement(submission)).kind);
      if (refusal.kind === 'refused')
        expect(await stage.settlement(submission)).toEqual({ kind: 'never_accepted', isFinal: true });
    });

    it('a refunded swap gives back what it took', async () => {
      const before = await stage.holdings();
      const submission = await stage.plan(stage.swapUsdc('10000000'));
      await stage.world.setFaults({ submit: 'refund' });
      expect(await stage.submit(submission)).toMatchObject({ kind: 'accepted' });
      stage.world.advance(settledAfterSeconds);
      expect(await stage.settlement(submission)).toMatchObject({
        kind: 'refunded',
        output: null,
        returned: submission.input,
      });
      expect(await stage.holdings()).toEqual(before);
    });

    it('a partly filled swap gives back the rest, and says what it delivered', async () => {
      const before = await stage.holdings();
      const submission = await stage.plan(stage.swapUsdc('10000000'));
      await stage.world.setFaults({ submit: 'partial_fill' });
      expect(await stage.submit(submission)).toMatchObject({ kind: 'accepted' });
      stage.world.advance(settledAfterSeconds);
      const end = await stage.settlement(submission);
      expect(end).toMatchObject({ kind: 'refunded', output: { tokenId: wNear } });
      const delivered = BigInt(end.kind === 'refunded' ? (end.output?.amountRaw ?? 0) : 0);
      expect(delivered > 0n && delivered < BigInt(submission.output?.amountRaw ?? 0)).toBe(true);
      const after = await stage.holdings();
      expect(BigInt(after[wNear] ?? 0) - BigInt(before[wNear] ?? 0)).toBe(delivered);
      const spent = BigInt(before[usdc] ?? 0) - BigInt(after[usdc] ?? 0);
      expect(spent > 0n && spent < 10_000_000n).toBe(true);
      expect(end).toMatchObject({ returned: { tokenId: usdc, amountRaw: (10_000_000n - spent).toString() } });
    });

    it('a quote that has moved is refused, or what was taken for it comes back', async () => {
      const before = await stage.holdings();
      const submission = await stage.plan(stage.swapUsdc('10000000'));
      await stage.world.setFaults({ submit: 'quote_moved' });
      const sent = await stage.submit(submission);
      if (sent.kind === 'rejected') expect(sent.failure.reason).toBe('quote_expired');
      stage.world.advance(settledAfterSeconds);
      const { kind } = await stage.settlement(submission);
      expect(sent.kind === 'accepted' ? ['refunded'] : ['failed', 'never_accepted']).toContain(kind);
      expect(await stage.holdings()).toEqual(before);
    });

    it('a provider that is away says so to everyone, and takes nothing', async () => {
      const submission = await stage.plan(stage.withdraw('1000000'));
      await stage.world.setFaults({ down: true });
      const answers = await Promise.allSettled([
        stage.provider.connect(stage.wallet),
        stage.provider.holdings(stage.wallet),
        stage.provider.findToken(usdc),
        stage.provider.plan(stage.withdraw('1')),
        stage.submit(submission),
        stage.settlement(submission),
      ]);
      for (const answer of answers) expect(answer).toMatchObject({ status: 'rejected', reason: providerAway });
      await stage.world.setFaults({ down: false });
      expect(await stage.settlement(submission)).toEqual({ kind: 'never_accepted', isFinal: false });
      expect(await stage.holdings()).toMatchObject({ [usdc]: '250000000' });
    });

    it('a rejected session stops everything until it is connected again; what was taken settles all the same', async () => {
      if (!stage.world.hasSessions) return;
      const [taken, planned] = [
        await stage.plan(stage.withdraw('1000000')),
        await stage.plan(stage.withdraw('2000000')),
      ];
      await stage.submit(taken);
      await stage.world.setFaults({ sessionRejected: true });
      const answers = await Promise.allSettled([
        stage.provider.holdings(stage.wallet),
        stage.provider.plan(stage.withdraw('1')),
        stage.submit(planned),
      ]);
      const rejected = { status: 'rejected', reason: expect.any(SessionRejected) as unknown };
      for (const answer of answers) expect(answer).toEqual(rejected);
      await stage.world.giveBackKey(stage.wallet);
      await stage.provider.connect(stage.wallet);
      stage.world.advance(settledAfterSeconds);
      expect(await stage.settlement(taken)).toMatchObject({ kind: 'settled' });
      expect(await stage.settlement(planned)).toEqual({ kind: 'never_accepted', isFinal: false });
      expect(await stage.holdings()).toMatchObject({ [usdc]: '249000000' });
      await stage.world.setFaults({ sessionRejected: true });
      await expect(stage.provider.holdings(stage.wallet)).rejects.toBeInstanceOf(SessionRejected);
    });

    it('no wallet reads or spends what is another’s', async () => {
      const stranger = stage.world.newWallet();
      await stage.provider.connect(stranger);
      const submission = await stage.plan(stage.withdraw('1000000'));
      const theft = { ...submission, key: `${randomUUID()}/0/1` };
      const answers = [submission, theft].map((sent) => stage.provider.submit(stranger, sent).catch(() => null));
      for (const answer of await Promise.all(answers)) expect(answer?.kind).not.toBe('accepted');
      const asStranger = { ...stage.wallet, userId: stranger.userId, walletId: stranger.walletId };
      const planned = await stage.provider.plan({ ...stage.withdraw('1'), wallet: asStranger }).catch(() => null);
      if (planned?.ok) expect(await stage.submit(planned.submission)).not.toMatchObject({ kind: 'accepted' });
      stage.world.advance(settledAfterSeconds);
      expect(await stage.holdings()).toMatchObject({ [usdc]: '250000000' });
      expect(await stage.holdings(stranger)).toMatchObject({ [usdc]: '250000000' });
    });
  });
}
