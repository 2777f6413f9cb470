import { randomUUID } from 'node:crypto';
import { settledAfterSeconds, type Stage } from './contract-stage';
import { usdc } from './harness';
import type { NearUnderTest } from './near-provider';
import { operationSeconds, relayTo, signedIn } from './near-strangers';

/** The submissions that the relay accepts, and its answers to those that it refuses. */
export function relayCases(stage: Stage<NearUnderTest>): void {
  describe('the relay refuses', () => {
    it('a signature that is not right', async () => {
      const submission = await stage.plan(stage.withdraw('1000000'));
      const other = await stage.plan(stage.withdraw('2000000'));
      const signature = /"signature":"[^"]+"/;
      const bytes = submission.bytes.replace(signature, signature.exec(other.bytes)?.[0] ?? '');
      expect(bytes).not.toBe(submission.bytes);
      expect(await relayTo(stage.world, bytes)).toMatchObject({ status: 'FAILED', reason: 'invalid signature' });
      expect(await stage.submit({ ...submission, bytes })).toMatchObject({ kind: 'refused' });
    });

    it('a nonce that was used: of two intents signed under one key, one has its effect', async () => {
      const key = `${randomUUID()}/0/1`;
      const { latestDeadline } = stage.withdraw('1');
      const one = await stage.plan({ ...stage.withdraw('1000000'), key, latestDeadline });
      const other = await stage.plan({ ...stage.withdraw('2000000'), key, latestDeadline });
      expect(await relayTo(stage.world, one.bytes)).toMatchObject({ status: 'OK' });
      expect(await relayTo(stage.world, other.bytes)).toMatchObject({
        status: 'FAILED',
        reason: 'nonce was already used',
      });
      expect(await relayTo(stage.world, one.bytes)).toMatchObject({ status: 'FAILED', reason: 'already processed' });
      stage.world.advance(settledAfterSeconds);
      await stage.settlement(one);
      expect(await stage.world.received(stage.owner, usdc)).toBe(1_000_000n);
    });

    it('the rest of a batch from the first on that it refuses', async () => {
      const [one, other] = [await stage.plan(stage.withdraw('1000000')), await stage.plan(stage.withdraw('2000000'))];
      const signed = [one, one, other].map(({ bytes }) => signedIn(bytes));
      const params = [{ quote_hashes: [], signed_datas: signed }];
      const answer = await relayTo(
        stage.world,
        JSON.stringify({ id: 1, jsonrpc: '2.0', method: 'publish_intents', params }),
      );
      expect(answer).toMatchObject({ status: 'FAILED', reason: 'already processed' });
      expect((answer as { intent_hashes: string[] }).intent_hashes).toHaveLength(2);
      expect(await relayTo(stage.world, other.bytes)).toMatchObject({ status: 'OK' });
    });

    it('a salt that the contract does not take any more, but one that it has only replaced', async () => {
      const submission = await stage.plan(stage.withdraw('1000000'));
      const salts = [...stage.world.chain.salts];
      stage.world.chain.salts.push('0badcafe');
      expect(await stage.submit(submission)).toMatchObject({ kind: 'accepted' });
      const late = await stage.plan(stage.withdraw('1000000'));
      stage.world.chain.salts.splice(0, Infinity, 'deadbeef');
      expect(await relayTo(stage.world, late.bytes)).toMatchObject({ status: 'FAILED', reason: 'invalid salt' });
      expect(await stage.submit(late)).toMatchObject({ kind: 'refused', failure: { reason: 'provider_rejected' } });
      stage.world.chain.salts.splice(0, Infinity, ...salts);
    });

    it('a deadline that has passed', async () => {
      const submission = await stage.plan(stage.withdraw('1000000'));
      stage.world.advance(operationSeconds + 1);
      expect(await relayTo(stage.world, submission.bytes)).toMatchObject({
        status: 'FAILED',
        reason: 'deadline has expired',
      });
    });

    it('a key that is not the account’s', async () => {
      const stranger = stage.world.newWallet();
      await stage.provider.connect(stranger);
      const submission = await stage.plan({
        ...stage.withdraw('1000000'),
        wallet: { ...stranger, address: stage.wallet.address },
      });
      expect(await relayTo(stage.world, submission.bytes)).toMatchObject({
        status: 'FAILED',
        reason: 'invalid signature',
      });
    });
  });

  describe('the same submission', () => {
    it('has the same bytes when it is planned again of the same', async () => {
      const what = stage.withdraw('1000000');
      expect((await stage.plan(what)).bytes).toBe((await stage.plan(what)).bytes);
    });

    it('is sent byte by byte', async () => {
      const submission = await stage.plan(stage.withdraw('1000000'));
      const request = JSON.parse(submission.bytes) as { id: string; method: string };
      expect(request).toMatchObject({ id: submission.key, method: 'publish_intent' });
      expect(await stage.submit(submission)).toMatchObject({ kind: 'accepted' });
      expect(await relayTo(stage.world, submission.bytes)).toMatchObject({ reason: 'already processed' });
    });
  });
}
