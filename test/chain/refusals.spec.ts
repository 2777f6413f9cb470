/**
 * The messages with which the verifier contract refuses, and the adapter's interpretation of them. Our double and the
 * contract use the same messages.
 */
import { Logger } from '@nestjs/common';
import { Unavailable } from '@app/kernel';
import { SessionRejected } from '@app/wallets';
import { publicKeyText, type SignedData } from '@app/near-intents';
import { usdc } from '../providers/harness';
import type { NearUnderTest } from '../providers/near-provider';
import { randomUUID } from 'node:crypto';
import { chains } from './chains';
import { operationSeconds, publishing, Scene } from './scene';

const account = '<account>';
const key = '<key>';
/** The adapter's interpretation of a refusal: the reason that it reports for the operation. */
type Taken =
  'provider_rejected' | 'insufficient_balance' | 'quote_expired' | 'provider_unavailable' | 'session_rejected';
type Case = readonly [what: string, words: string, taken: Taken, bring: (scene: Scene) => Promise<SignedData>];

const cases: readonly Case[] = [
  [
    'the signature of another key' as const,
    'invalid signature' as const,
    'provider_rejected' as const,
    async (scene) => {
      const [one, other] = [await scene.written(), await scene.written()];
      return { ...one, signature: other.signature };
    },
  ],
  [
    'a message to another contract' as const,
    'wrong verifying_contract' as const,
    'provider_rejected' as const,
    (scene) => scene.written({ recipient: 'intents.neat' }),
  ],
  [
    'a deadline that has passed' as const,
    'deadline has expired' as const,
    'quote_expired' as const,
    (scene) => scene.written({ deadline: new Date(scene.nowMs - 1).toISOString() }),
  ],
  [
    'a key that was removed' as const,
    `public key '${key}' doesn't exist for account '${account}'`,
    'session_rejected',
    async (scene) => {
      const signed = await scene.written();
      await scene.near.removeKey(scene.wallet);
      return signed;
    },
  ],
  [
    'a salt that was never there' as const,
    'invalid salt' as const,
    'provider_rejected' as const,
    (scene) => scene.written({ salt: '0badcafe' }),
  ],
  [
    'a nonce that expires before the deadline' as const,
    'deadline is greater than nonce' as const,
    'provider_rejected' as const,
    (scene) => scene.written({ nonceExpiresAtMs: scene.nowMs + operationSeconds * 1000 - 1 }),
  ],
  [
    'an account that is locked' as const,
    `account '${account}' is locked`,
    'session_rejected' as const,
    async (scene) => {
      const signed = await scene.written();
      scene.near.lock(scene.wallet);
      return signed;
    },
  ],
  [
    'a nonce that was used' as const,
    'nonce was already used' as const,
    'provider_unavailable' as const,
    async (scene) => {
      const signed = await scene.written();
      expect(await scene.execute(signed)).toBeNull();
      return signed;
    },
  ],
  [
    'more than there is' as const,
    'insufficient balance or overflow' as const,
    'insufficient_balance' as const,
    (scene) => scene.written({ intents: [scene.transfer({ [usdc]: '250000001' })] }),
  ],
  [
    'a transfer of nothing' as const,
    'invalid intent' as const,
    'provider_rejected' as const,
    (scene) => scene.written({ intents: [scene.transfer({ [usdc]: '0' })] }),
  ],
  [
    'a transfer of no tokens' as const,
    'invalid intent' as const,
    'provider_rejected' as const,
    (scene) => scene.written({ intents: [scene.transfer({})] }),
  ],
  [
    'a transfer to oneself' as const,
    'invalid intent' as const,
    'provider_rejected' as const,
    (scene) => scene.written({ intents: [scene.transfer({ [usdc]: '1' }, scene.wallet.address)] }),
  ],
  [
    'a locked account without its key' as const,
    `public key '${key}' doesn't exist for account '${account}'`,
    'session_rejected',
    async (scene) => {
      const signed = await scene.written();
      await scene.near.removeKey(scene.wallet);
      scene.near.lock(scene.wallet);
      return signed;
    },
  ],
  [
    'a used nonce of a locked account' as const,
    `account '${account}' is locked`,
    'session_rejected' as const,
    async (scene) => {
      const signed = await scene.written();
      expect(await scene.execute(signed)).toBeNull();
      scene.near.lock(scene.wallet);
      return signed;
    },
  ],
  [
    'a locked account with another salt' as const,
    'invalid salt' as const,
    'provider_rejected' as const,
    async (scene) => {
      const signed = await scene.written({ salt: '0badcafe' });
      scene.near.lock(scene.wallet);
      return signed;
    },
  ],
];

beforeAll(() => Logger.overrideLogger(false));
afterAll(() => Logger.overrideLogger(true));

describe.each(chains)('$name refuses', ({ start, isContract }) => {
  let near: NearUnderTest;
  let scene: Scene;
  beforeAll(async () => void (near = await start()));
  beforeEach(async () => void (scene = await Scene.on(near)));
  afterAll(() => near.stop());

  it.each(cases)('%s: %s', async (_what, words, taken, bring) => {
    const signed = await bring(scene);
    const { address } = scene.wallet;
    const expected = words.replace(account, address).replace(key, publicKeyText(address));
    expect(await scene.execute(signed)).toBe(expected);
    expect(await takenFor(signed)).toBe(taken);
  });

  if (isContract)
    it.each([
      ['an intent that it does not have', [{ intent: 'dance' }], 'JSON: unknown variant `dance`'],
      ['amounts that are no numbers', [transferOf({ [usdc]: 'many' })], 'JSON: invalid digit found'],
      ['a receiver that is no account', [{ ...transferOf({ [usdc]: '1' }), receiver_id: 'Nobody!' }], 'JSON: invalid'],
      ['a token that is none', [transferOf({ usdc: '1' })], 'JSON: '],
    ])('%s', async (_what, intents, words) => {
      const signed = await scene.written({ intents });
      expect(await scene.execute(signed)).toContain(words);
      expect(await takenFor(signed)).toBe('provider_rejected');
    });

  /** The adapter's interpretation of the contract's answer to these bytes, which the relay submits. */
  async function takenFor(signed: SignedData): Promise<string> {
    const submissionKey = `${randomUUID()}/0/1`;
    const bytes = publishing(signed, submissionKey);
    const amount = { tokenId: usdc, amountRaw: '1' };
    try {
      const submission = {
        key: submissionKey,
        attempt: 1,
        bytes,
        input: amount,
        output: null,
        leastOutput: null,
        quote: null,
        deadline: near.now(),
      };
      const submitted = await near.provider.submit(scene.wallet, submission);
      return submitted.kind === 'refused' ? submitted.failure.reason : submitted.kind;
    } catch (error) {
      if (error instanceof SessionRejected) return 'session_rejected';
      if (error instanceof Unavailable) return 'provider_unavailable';
      throw error;
    }
  }
});

function transferOf(tokens: Readonly<Record<string, string>>): object {
  return { intent: 'transfer', receiver_id: 'ab'.repeat(32), tokens };
}
