import type { Clock } from '@app/kernel';
import { verifierAccount } from '@app/near-intents';
import { ContractPanic, NearHost } from './near-host';

/** The account that holds every role of the contract. */
const dao = 'dao.near';
const nanosecondsPerMs = 1_000_000n;
/** The deposit required by methods for an owner or a role, as proof that a full-access key signed. */
const oneYocto = 1n;

/**
 * The verifier contract's own WebAssembly, with the calls that its owners, tokens and accounts can make.
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

  /** Executes signed intents as one call. Returns null, or the error. */
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

  /** Deposits tokens, by the notification that the token's contract sends. */
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

  /** Sets a new current salt; the earlier ones remain valid. */
  rotateSalt(): void {
    this.signedCall(dao, 'update_current_salt', {});
  }

  /** Invalidates the current salt. */
  invalidateSalt(): void {
    this.signedCall(dao, 'invalidate_salts', { salts: [this.view('current_salt', {})] });
  }

  addKey(accountId: string, publicKey: string): void {
    this.signedCall(accountId, 'add_public_key', { public_key: publicKey });
  }

  removeKey(accountId: string, publicKey: string): void {
    this.signedCall(accountId, 'remove_public_key', { public_key: publicKey });
  }

  /** Makes the contract drop the nonce, if it may. */
  cleanUpNonce(accountId: string, nonce: string): void {
    this.signedCall(dao, 'cleanup_nonces', { nonces: [[accountId, [nonce]]] });
  }

  private signedCall(predecessor: string, method: string, args: object): void {
    this.host.call({ method, args, predecessor, depositYocto: oneYocto });
  }
}
