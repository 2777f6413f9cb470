/**
 * The verifier contract's treatment of the bytes that the adapter signs. Each case runs on our double, and on the
 * contract's own WebAssembly if VERIFIER_WASM names it: VERIFIER_WASM=/path/defuse.wasm npx jest test/chain
 * near-schedules
 */
import { Logger } from '@nestjs/common';
import { instantOf } from '@app/kernel';
import { SessionRejected, type Revocation, type Submission } from '@app/wallets';
import { usdc } from '../providers/harness';
import type { NearUnderTest } from '../providers/near-provider';
import { chains, sayWhoPlays } from './chains';
import type { ContractUnderTest } from './contract-provider';
import { operationSeconds, Scene, signedIn } from './scene';

const whole = '250000000';
const used = 'nonce was already used';
const wanting = 'insufficient balance or overflow';
const expired = 'deadline has expired';
const settledAfterSeconds = 60;
const daySeconds = 24 * 60 * 60;

beforeAll(() => {
  Logger.overrideLogger(false);
  sayWhoPlays();
});
afterAll(() => Logger.overrideLogger(true));

describe.each(chains)('$name', ({ start, isContract }) => {
  let near: NearUnderTest;
  let scene: Scene;
  beforeAll(async () => void (near = await start()));
  beforeEach(async () => void (scene = await Scene.on(near)));
  afterAll(() => near.stop());

  const submit = (submission: Submission) => near.provider.submit(scene.wallet, submission);
  const settlement = (submission: Submission, revocation: Revocation | null = null) =>
    near.provider.settlement(scene.wallet, submission, revocation);

  it('executes a transfer once', async () => {
    const submission = await scene.withdrawal('1000000');
    expect(await submit(submission)).toMatchObject({ kind: 'accepted' });
    near.advance(settledAfterSeconds);
    expect(await settlement(submission)).toMatchObject({ kind: 'settled' });
    expect(await scene.execute(submission)).toBe(used);
    expect(await scene.received()).toBe(1_000_000n);
  });

  it('executes one of two that were signed under one key', async () => {
    const key = 'one/0/1';
    const [one, other] = [await scene.withdrawal('1000000', key), await scene.withdrawal('2000000', key)];
    expect(await scene.execute(one)).toBeNull();
    expect(await scene.execute(other)).toBe(used);
  });

  it('executes what it refused because the balance was too small, when strangers bring the same bytes to a funded wallet', async () => {
    const [one, other] = [await scene.withdrawal(whole), await scene.withdrawal(whole)];
    expect(await submit(one)).toMatchObject({ kind: 'accepted' });
    expect(await submit(other)).toMatchObject({ kind: 'refused', failure: { reason: 'insufficient_balance' } });
    expect(await scene.execute(other)).toBe(wanting);
    expect(await settlement(other)).toEqual({ kind: 'never_accepted', isFinal: false });
    await near.fund(scene.wallet, { tokenId: usdc, amountRaw: whole });
    expect(await scene.execute(other)).toBeNull();
    near.advance(settledAfterSeconds);
    expect(await settlement(other)).toMatchObject({ kind: 'settled' });
    expect(await scene.received()).toBe(500_000_000n);
  });

  it('executes what it refused while the account was locked', async () => {
    const submission = await scene.withdrawal('1000000');
    near.lock(scene.wallet);
    await expect(submit(submission)).rejects.toBeInstanceOf(SessionRejected);
    await expect(near.provider.connect(scene.wallet)).rejects.toBeInstanceOf(SessionRejected);
    expect(await settlement(submission)).toEqual({ kind: 'never_accepted', isFinal: false });
    near.unlock(scene.wallet);
    expect(await submit(submission)).toMatchObject({ kind: 'accepted' });
  });

  it('executes what it refused while the key was removed', async () => {
    const submission = await scene.withdrawal('1000000');
    await near.removeKey(scene.wallet);
    await expect(submit(submission)).rejects.toBeInstanceOf(SessionRejected);
    await expect(near.provider.connect(scene.wallet)).rejects.toBeInstanceOf(SessionRejected);
    await near.giveBackKey(scene.wallet);
    expect(await submit(submission)).toMatchObject({ kind: 'accepted' });
  });

  it('never executes what was revoked', async () => {
    const submission = await scene.withdrawal('1000000');
    const revocation = await scene.revocation(submission);
    await near.provider.revocations?.send(scene.wallet, revocation);
    expect(await scene.execute(submission)).toBe(used);
    expect(await settlement(submission, revocation)).toEqual({ kind: 'never_accepted', isFinal: true });
    near.advance(operationSeconds + 1);
    expect(await settlement(submission, revocation)).toEqual({ kind: 'never_accepted', isFinal: true });
    expect(await scene.received()).toBe(0n);
  });

  it('revokes nothing that it has executed', async () => {
    const submission = await scene.withdrawal('1000000');
    const revocation = await scene.revocation(submission);
    expect(await submit(submission)).toMatchObject({ kind: 'accepted' });
    expect(await scene.execute(revocation)).toBe(used);
    near.advance(settledAfterSeconds);
    expect(await settlement(submission, revocation)).toMatchObject({ kind: 'settled' });
  });

  it('executes at the deadline itself, and not a millisecond later', async () => {
    const [at, after] = [await scene.withdrawal('1000000'), await scene.withdrawal('1000000')];
    near.advance(operationSeconds);
    expect(await settlement(after)).toEqual({ kind: 'never_accepted', isFinal: false });
    expect(await scene.execute(at)).toBeNull();
    near.advance(0.001);
    expect(await scene.execute(after)).toBe(expired);
    expect(await settlement(after)).toEqual({ kind: 'never_accepted', isFinal: true });
  });

  it('executes with a salt that was replaced, and not with one that was invalidated', async () => {
    const [replaced, invalidated] = [await scene.withdrawal('1000000'), await scene.withdrawal('1000000')];
    near.rotateSalt();
    expect(await submit(replaced)).toMatchObject({ kind: 'accepted' });
    const late = await scene.withdrawal('1000000');
    near.invalidateSalt();
    expect(await scene.execute(late)).toBe('invalid salt');
    expect(await submit(late)).toMatchObject({ kind: 'refused', failure: { reason: 'provider_rejected' } });
    expect(await scene.execute(invalidated)).toBeNull();
    near.advance(operationSeconds + 1);
    expect(await settlement(late)).toEqual({ kind: 'unknown' });
  });

  it('remembers a nonce for a day after its deadline', async () => {
    const submission = await scene.withdrawal('1000000');
    near.advance(operationSeconds + daySeconds - 1);
    expect(await settlement(submission)).toEqual({ kind: 'never_accepted', isFinal: true });
    near.advance(2);
    expect(await settlement(submission)).toEqual({ kind: 'unknown' });
  });

  it('tells what a wallet holds', async () => {
    await near.fund(scene.wallet, { tokenId: 'nep141:many.near', amountRaw: '7' });
    expect(await scene.execute(await scene.withdrawal('1000000'))).toBeNull();
    near.advance(settledAfterSeconds);
    const held = new Map((await near.provider.holdings(scene.wallet)).map((holding) => [holding.tokenId, holding]));
    expect(held.get(usdc)).toMatchObject({ amountRaw: '249000000' });
    expect(held.get('nep141:many.near')).toMatchObject({ amountRaw: '7', decimals: null });
  });

  if (isContract) {
    it('knows a wallet that it has never seen by its key', async () => {
      const stranger = near.keys.newWallet();
      await near.provider.connect(stranger);
      expect(await near.provider.holdings(stranger)).toEqual([]);
      const { address: signerId } = stranger;
      expect(await scene.execute(await scene.written({ signerId, signer: stranger }))).toBe(wanting);
      expect(await scene.execute(await scene.written({ signerId, signer: stranger, intents: [] }))).toBeNull();
    });

    it('may forget a nonce that has expired, or whose salt is not valid: then nothing is said of it for good', async () => {
      const { verifier } = near as ContractUnderTest; // only the contract's chain runs this test
      const [kept, salted] = [await scene.withdrawal('1000000'), await scene.withdrawal('1000000')];
      const cleanUp = ({ bytes }: Submission) =>
        verifier.cleanUpNonce(scene.wallet.address, signedIn(bytes).payload.nonce);
      for (const submission of [kept, salted]) expect(await scene.execute(submission)).toBeNull();
      near.advance(operationSeconds + 1);
      cleanUp(kept);
      expect(await settlement(kept)).toMatchObject({ kind: 'settled' });
      near.invalidateSalt();
      cleanUp(salted);
      expect(await settlement(salted)).toEqual({ kind: 'unknown' });
      expect(await settlement(kept)).toMatchObject({ kind: 'settled' });
      near.advance(daySeconds);
      cleanUp(kept);
      expect(await settlement(kept)).toEqual({ kind: 'unknown' });
      expect(await scene.execute(kept)).toBe(expired);
    });
  }

  it('executes at the nanosecond of the deadline, and not at the next one', async () => {
    const now = near.now();
    const before = instantOf(scene.nowMs - 1).replace('Z', '999999Z');
    expect(await scene.execute(await scene.written({ deadline: before }))).toBe(expired);
    expect(await scene.execute(await scene.written({ deadline: now }))).toBeNull();
  });
});
