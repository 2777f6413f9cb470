import type { NearChain } from './near-chain';
import { base58 } from './near-signatures';

/** Returns the result of a view of the contract; undefined if it fails. */
export type ContractViews = (method: string, args: Record<string, string>) => Promise<unknown>;

/**
 * Returns the answer of a NEAR node to a call of its JSON-RPC: `result` or `error`.
 *
 * Source: docs.near.org, "RPC API" (`block`, `query` with `view_account` and `call_function`, and their errors).
 */
export async function nearNode(
  chain: NearChain,
  views: ContractViews,
  { method, params }: Readonly<Record<string, unknown>>,
): Promise<object> {
  const asked = params as Record<string, string>;
  if (method === 'block') {
    const header = { hash: base58(Buffer.from(`block at ${chain.nowMs}`)), timestamp_nanosec: `${chain.nowMs}000000` };
    return { result: { header } };
  }
  if (asked['request_type'] === 'view_account') return viewAccount(chain, asked['account_id'] ?? '');
  const args = JSON.parse(Buffer.from(asked['args_base64'] ?? '', 'base64').toString('utf8')) as Record<string, string>;
  const value = asked['account_id'] === 'intents.near' ? await views(asked['method_name'] ?? '', args) : undefined;
  if (value === undefined) return { error: { name: 'HANDLER_ERROR', cause: { name: 'CONTRACT_EXECUTION_ERROR' } } };
  return { result: { result: [...Buffer.from(JSON.stringify(value))], logs: [], block_height: 1, block_hash: '1' } };
}

/** NEAR creates implicit accounts with the first transfer to them; in the double none of them exists. */
function viewAccount(chain: NearChain, accountId: string): object {
  if (chain.accounts.has(accountId)) return { result: { amount: '0', code_hash: '1'.repeat(32), storage_usage: 182 } };
  return { error: { name: 'HANDLER_ERROR', cause: { name: 'UNKNOWN_ACCOUNT', info: {} }, code: -32000 } };
}

/** Returns the result of a view of the double's own contract; undefined for one that it does not have. */
export async function viewContract(chain: NearChain, method: string, args: Record<string, string>): Promise<unknown> {
  const account = args['account_id'] ?? '';
  switch (method) {
    case 'current_salt':
      return chain.salts.at(-1);
    case 'is_valid_salt':
      return chain.salts.includes(args['salt'] ?? '');
    case 'has_public_key':
      return chain.takesKey(account, args['public_key'] ?? '');
    case 'is_account_locked':
      return chain.locked.has(account);
    case 'is_nonce_used':
      return chain.isNonceUsed(account, args['nonce'] ?? '');
    case 'mt_tokens_for_owner': {
      const [from, limit] = [Number(args['from_index']), Number(args['limit'])];
      const held = [...(await chain.balances(account)).keys()].sort();
      return held.slice(from, from + limit).map((token_id) => ({ token_id, owner_id: account }));
    }
    case 'mt_batch_balance_of': {
      const held = await chain.balances(account);
      return (args['token_ids'] as unknown as string[]).map((tokenId) => String(held.get(tokenId) ?? 0n));
    }
    default:
      return undefined;
  }
}
