import type { Clock } from '@app/kernel';
import { verifierAccount } from '@app/near-intents';
import { ContractPanic, NearHost } from './near-host';

/** Has every role that the contract gives. */
const dao = 'dao.near';
const nanosecondsPerMs = 1_000_000n;
/** What methods for an owner or a role want to be paid: it shows that a full key signed. */
const oneYocto = 1n;

/**
 * The verifier contract's own WebAssembly, with what its owners, tokens and accounts can do to it.
 *
 * Source: near/intents, releases/defuse-0.4.1.wasm; defuse/src/contract (config.rs, salts.rs, accounts,
 * garbage_collector.rs, tokens/nep141/deposit.rs).
 */
export class WasmVerifier {
  private readonly host: NearHost;

  constructor(wasm: Buffer<ArrayBuffer>, clock: Clock) {
    const nowNs = (): bigint => BigInt(clock.epochMs()) * nanosecondsPerMs;
    this.host = new NearHost(wasm, verifierAccount, nowNs);
    if (!this.host.has('current_salt'))
      throw new Error('VERIFIER_WASM names a contract from before nonces had salts: take 0.4.0 or a later one');
    const roles = { super_admins: [dao], grantees: { DAO: [dao] } };
    const config = { wnear_id: 'wrap.near', fees: { fee: 0, fee_collector: 'fees.near' }, roles };
    this.host.call({ method: 'new', args: { config }, predecessor: verifierAccount });
  }

  /** Executes signed intents as one call; null, or why it did not. */
  executeIntents(...signed: readonly object[]): string | null {
    try {
      this.host.call({ method: 'execute_intents', args: { signed }, predecessor: 'anybody.near' });
      return null;
    } catch (error) {
      if (error instanceof ContractPanic) return error.message;
      throw error;
    }
  }

  view(method: string, args: object): unknown {
    return this.host.view(method, args);
  }

  balance(accountId: string, tokenId: string): bigint {
    return BigInt(String(this.view('mt_balance_of', { account_id: accountId, token_id: tokenId })));
  }

  /** The token's contract says that somebody has deposited. */
  mint(accountId: string, tokenId: string, amountRaw: string): void {
    const args = { sender_id: accountId, amount: amountRaw, msg: '' };
    this.host.call({ method: 'ft_on_transfer', args, predecessor: tokenId.replace(/^nep141:/, '') });
  }

  lock(accountId: string): void {
    this.signedCall(dao, 'force_lock_account', { account_id: accountId });
  }

  unlock(accountId: string): void {
    this.signedCall(dao, 'force_unlock_account', { account_id: accountId });
  }

  /** A new current salt; the ones before are still taken. */
  rotateSalt(): void {
    this.signedCall(dao, 'update_current_salt', {});
  }

  /** The current salt is not taken any more. */
  invalidateSalt(): void {
    this.signedCall(dao, 'invalidate_salts', { salts: [this.view('current_salt', {})] });
  }

  addKey(accountId: string, publicKey: string): void {
    this.signedCall(accountId, 'add_public_key', { public_key: publicKey });
  }

  removeKey(accountId: string, publicKey: string): void {
    this.signedCall(accountId, 'remove_public_key', { public_key: publicKey });
  }

  /** The contract drops the nonce, if it may. */
  cleanUpNonce(accountId: string, nonce: string): void {
    this.signedCall(dao, 'cleanup_nonces', { nonces: [[accountId, [nonce]]] });
  }

  private signedCall(predecessor: string, method: string, args: object): void {
    this.host.call({ method, args, predecessor, depositYocto: oneYocto });
  }
}
