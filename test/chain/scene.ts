import { epochMsOf, instantOf } from '@app/kernel';
import { encodeNonce, signPayload, verifierAccount, type Nep413Payload, type SignedData } from '@app/near-intents';
import type { Order, Revocation, Submission, WalletAccount } from '@app/wallets';
import { randomBytes, randomUUID } from 'node:crypto';
import { newMainAccount, usdc } from '../providers/harness';
import type { NearUnderTest } from '../providers/near-provider';

export const operationSeconds = 300;
const dayMs = 24 * 60 * 60 * 1000;

/** The deviations of a hand-written message from a valid transfer of one USDC. */
interface Written {
  readonly intents?: readonly unknown[];
  readonly deadline?: string;
  readonly nonceExpiresAtMs?: number;
  readonly salt?: string;
  readonly recipient?: string;
  readonly signerId?: string;
  /** The wallet that signs. */
  readonly signer?: WalletAccount;
}

/** A wallet with 250 USDC, its owner's account, and bytes that the adapter signs for it or a test writes by hand. */
export class Scene {
  readonly wallet: WalletAccount;
  readonly owner = newMainAccount();

  private constructor(readonly near: NearUnderTest) {
    this.wallet = near.newWallet();
  }

  static async on(near: NearUnderTest): Promise<Scene> {
    const scene = new Scene(near);
    await near.provider.connect(scene.wallet);
    return scene;
  }

  /** The submission that the adapter signs for a withdrawal. */
  async withdrawal(amountRaw: string, key = `${randomUUID()}/0/1`): Promise<Submission> {
    const order: Order['order'] = {
      kind: 'withdraw',
      input: { tokenId: usdc, amountRaw },
      mainAccountId: this.owner,
    };
    const latestDeadline = instantOf(this.nowMs + operationSeconds * 1000);
    const planned = await this.near.provider.plan({ wallet: this.wallet, key, attempt: 1, order, latestDeadline });
    if (!planned.ok) throw new Error(`not planned: ${planned.failure.reason}`);
    return planned.submission;
  }

  /** The revocation that the adapter signs. */
  async revocation(submission: Submission): Promise<Revocation> {
    const revocation = await this.near.provider.revocations?.plan(this.wallet, submission);
    if (revocation == null) throw new Error('it cannot be revoked');
    return revocation;
  }

  /** A signed message in the adapter's form, except for the named deviations. */
  async written(change: Written = {}): Promise<SignedData> {
    const { address } = this.wallet;
    const inFiveMinutes = instantOf(this.nowMs + operationSeconds * 1000);
    const { deadline = inFiveMinutes, signer = this.wallet } = change;
    const nonce = encodeNonce({
      salt: Buffer.from(change.salt ?? (await this.currentSalt()), 'hex'),
      expiresAtMs: change.nonceExpiresAtMs ?? Date.parse(deadline) + dayMs,
      tail: randomBytes(15),
    });
    const message = JSON.stringify({
      signer_id: change.signerId ?? address,
      deadline,
      intents: change.intents ?? [this.transfer({ [usdc]: '1000000' })],
    });
    const payload: Nep413Payload = {
      message,
      nonce: Buffer.from(nonce).toString('base64'),
      recipient: change.recipient ?? verifierAccount,
    };
    return signPayload(payload, signer.address, (bytes) => this.near.keys.sign(signer.userId, bytes));
  }

  transfer(tokens: Readonly<Record<string, string>>, receiverId = this.owner): object {
    return { intent: 'transfer', receiver_id: receiverId, tokens };
  }

  /** The contract's error for bytes, whoever submits them; null if it executes them. */
  async execute(brought: { readonly bytes: string } | SignedData): Promise<string | null> {
    const bytes = 'bytes' in brought ? brought.bytes : publishing(brought);
    return this.near.chain.execute(signedIn(bytes), bytes);
  }

  received(): Promise<bigint> {
    return this.near.received(this.owner, usdc);
  }

  get nowMs(): number {
    return epochMsOf(this.near.now());
  }

  private async currentSalt(): Promise<string> {
    const { payload } = signedIn((await this.withdrawal('1')).bytes);
    return Buffer.from(payload.nonce, 'base64').subarray(5, 9).toString('hex');
  }
}

/** The signed message in a request of the adapter. */
export function signedIn(bytes: string): SignedData {
  const { params } = JSON.parse(bytes) as { params: [{ signed_data: SignedData }] };
  return params[0].signed_data;
}

/** The request in which the adapter sends a signed message. */
export function publishing(signedData: SignedData, key = `${randomUUID()}/0/1`): string {
  const params = [{ quote_hashes: [], signed_data: signedData }];
  return JSON.stringify({ id: key, jsonrpc: '2.0', method: 'publish_intent', params });
}
