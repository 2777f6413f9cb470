import { hex } from '@scure/base';
import { parse } from 'lossless-json';
import { isJsonObject } from '@app/kernel';
import type { Answer, JsonHttp } from './json-http';
import { publicKeyText, verifierAccount } from './nep413';
import { saltLength } from './nonce';
import { CallFailed, Malformed, read } from './reading';

/** A block that no fork can undo. */
export interface FinalBlock {
  readonly hash: string;
  /** The chain's own time, which the contract compares with deadlines. */
  readonly epochMs: number;
}

/** The state that a view reads: the newest, or that of a final block. */
type At = { readonly finality: 'optimistic' } | { readonly block_id: string };

const newest: At = { finality: 'optimistic' };
const tokensPerPage = 100;
/** Anyone can send tokens to an account; of a wallet with more kinds than this, only the first ones are read. */
const tokenPagesMax = 10;
const resultBytesMax = 1024 * 1024;
const nanosecondsPerMs = 1_000_000n;

/** The verifier contract, read through a NEAR node's JSON-RPC. Every method throws Unavailable when it was not answered. */
export class Verifier {
  constructor(private readonly http: JsonHttp) {}

  /** The newest final block. */
  finalBlock(): Promise<FinalBlock> {
    return this.call('block', { finality: 'final' }, (result) => {
      const header = read.object(result['header'], 'header');
      const nanoseconds = read.text(header['timestamp_nanosec'], 'timestamp_nanosec');
      if (!/^[0-9]{10,20}$/.test(nanoseconds)) throw new Malformed(`timestamp_nanosec is ${nanoseconds}`);
      return { hash: read.text(header['hash'], 'hash'), epochMs: Number(BigInt(nanoseconds) / nanosecondsPerMs) };
    });
  }

  /** Whether an intent with the nonce was executed for the account, up to that block. `nonce`: in base64. */
  isNonceUsed(accountId: string, nonce: string, block: FinalBlock): Promise<boolean> {
    const args = { account_id: accountId, nonce };
    return this.truth('is_nonce_used', args, { block_id: block.hash });
  }

  /** Whether the contract accepts (and so remembers) nonces with the salt, as of that block. */
  isSaltValid(salt: Uint8Array, block: FinalBlock): Promise<boolean> {
    const args = { salt: hex.encode(salt) };
    return this.truth('is_valid_salt', args, { block_id: block.hash });
  }

  /** The salt that new nonces carry, 4 bytes. */
  currentSalt(): Promise<Uint8Array> {
    return this.view('current_salt', {}, newest, (value) => {
      const text = read.text(value, 'current_salt');
      if (!/^[0-9a-f]+$/.test(text) || text.length !== 2 * saltLength) throw new Malformed(`current_salt is ${text}`);
      return hex.decode(text);
    });
  }

  /** Whether the contract accepts the key's signatures for the account. */
  hasPublicKey(accountId: string, publicKeyHex: string): Promise<boolean> {
    const args = { account_id: accountId, public_key: publicKeyText(publicKeyHex) };
    return this.truth('has_public_key', args, newest);
  }

  /** Whether the account is locked; then the contract executes none of its intents. */
  isLocked(accountId: string): Promise<boolean> {
    return this.truth('is_account_locked', { account_id: accountId }, newest);
  }

  /** Whether the account exists on NEAR itself. */
  accountExists(accountId: string): Promise<boolean> {
    const params = { request_type: 'view_account', finality: 'final', account_id: accountId };
    const body = requestOf('query', params);
    return this.http.ask({ name: 'view_account', method: 'POST', path: '', body, repeatable: true }, (answer) => {
      const error = read.object(answer.body, 'answer')['error'];
      if (isJsonObject(error) && isJsonObject(error['cause']) && error['cause']['name'] === 'UNKNOWN_ACCOUNT')
        return false;
      read.text(rpcResult(answer)['code_hash'], 'code_hash');
      return true;
    });
  }

  /** The balances of all tokens that the account holds, by token. */
  async balances(accountId: string): Promise<ReadonlyMap<string, string>> {
    const balances = new Map<string, string>();
    for (let page = 0; page < tokenPagesMax; page += 1) {
      const tokenIds = await this.tokensOf(accountId, page);
      const amounts = tokenIds.length === 0 ? [] : await this.batchBalance(accountId, tokenIds);
      tokenIds.forEach((tokenId, index) => balances.set(tokenId, amounts[index] ?? '0'));
      if (tokenIds.length < tokensPerPage) break;
    }
    return balances;
  }

  /** The account's balance of one token. */
  async balance(accountId: string, tokenId: string): Promise<string> {
    const [amount = '0'] = await this.batchBalance(accountId, [tokenId]);
    return amount;
  }

  private tokensOf(accountId: string, page: number): Promise<readonly string[]> {
    const args = { account_id: accountId, from_index: String(page * tokensPerPage), limit: tokensPerPage };
    return this.view('mt_tokens_for_owner', args, newest, (value) =>
      read
        .list(value, 'mt_tokens_for_owner', tokensPerPage)
        .map((token) => read.text(read.object(token, 'token')['token_id'], 'token_id')),
    );
  }

  private batchBalance(accountId: string, tokenIds: readonly string[]): Promise<readonly string[]> {
    const args = { account_id: accountId, token_ids: tokenIds };
    return this.view('mt_batch_balance_of', args, newest, (value) => {
      const amounts = read.list(value, 'mt_batch_balance_of', tokenIds.length);
      if (amounts.length !== tokenIds.length) throw new Malformed(`${amounts.length} of ${tokenIds.length} balances`);
      return amounts.map((amount) => read.amount(amount, 'balance'));
    });
  }

  private truth(method: string, args: object, at: At): Promise<boolean> {
    return this.view(method, args, at, (value) => read.truth(value, method));
  }

  private view<T>(method: string, args: object, at: At, use: (value: unknown) => T): Promise<T> {
    const params = {
      request_type: 'call_function',
      account_id: verifierAccount,
      method_name: method,
      args_base64: Buffer.from(JSON.stringify(args)).toString('base64'),
      ...at,
    };
    return this.call('query', params, (result) => use(readView(result)), method);
  }

  private call<T>(
    method: string,
    params: object,
    use: (result: Readonly<Record<string, unknown>>) => T,
    name = method,
  ): Promise<T> {
    const body = requestOf(method, params);
    return this.http.ask({ name, method: 'POST', path: '', body, repeatable: true }, (answer) =>
      use(rpcResult(answer)),
    );
  }
}

function requestOf(method: string, params: object): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 'parley', method, params });
}

/** The result of a JSON-RPC answer. @throws CallFailed for an error, Malformed */
export function rpcResult({ body }: Answer): Readonly<Record<string, unknown>> {
  const answer = read.object(body, 'answer');
  if (answer['error'] !== undefined && answer['error'] !== null)
    throw new CallFailed(`error: ${(JSON.stringify(answer['error']) ?? '').slice(0, 500)}`);
  return read.object(answer['result'], 'result');
}

/** The value returned by a view: JSON, encoded as a list of bytes. @throws CallFailed if the contract aborted the view, Malformed */
function readView(result: Readonly<Record<string, unknown>>): unknown {
  if (typeof result['error'] === 'string') throw new CallFailed(`the view failed: ${result['error'].slice(0, 500)}`);
  const bytes = read.list(result['result'], 'result of the view', resultBytesMax);
  return parse(Buffer.from(bytes.map((byte) => read.count(byte, 'byte', 255))).toString('utf8'));
}
