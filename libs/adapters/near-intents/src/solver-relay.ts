import { Logger } from '@nestjs/common';
import type { JsonHttp } from './json-http';
import { CallFailed, Malformed, read } from './reading';
import { rpcResult } from './verifier';

/** The relay's answer to an intent. */
export type Published =
  | { readonly kind: 'taken' }
  /** It had already received exactly these bytes. */
  | { readonly kind: 'taken_before' }
  | { readonly kind: 'refused'; readonly why: Refusal };

/** Why the contract would not execute an intent now. */
export type Refusal =
  | 'nonce_used'
  | 'expired'
  | 'insufficient_balance'
  | 'key_not_accepted'
  | 'account_locked'
  | 'invalid_salt'
  | 'invalid_intent';

/**
 * The contract's messages for intents that it does not execute (near/intents, contracts/defuse/core/src/error.rs),
 * within the relay's own words. A text that matches no line is not a refusal; the outcome of the intent is then
 * unknown.
 */
const contractWords: readonly (readonly [RegExp, Refusal])[] = [
  [/nonce was already used/, 'nonce_used'],
  [/deadline has expired|nonce was already expired|^expired$/, 'expired'],
  [/insufficient balance or overflow/, 'insufficient_balance'],
  [/public key '[^']*' doesn't exist for account '[^']*'/, 'key_not_accepted'],
  [/account '[^']*' is locked/, 'account_locked'],
  [/invalid salt/, 'invalid_salt'],
  [
    /invalid intent|invalid signature|invalid nonce|deadline is greater than nonce|wrong verifying_contract/,
    'invalid_intent',
  ],
  [/gas overflow|invariant violated: |JSON: |token_id: |token_id is too long: /, 'invalid_intent'],
  [/account '[^']*' not found|NFT '[^']*' is already deposited/, 'invalid_intent'],
];

export type RelayStatus =
  | { readonly kind: 'settled'; readonly transactionHash: string }
  | { readonly kind: 'pending' }
  /** Its execution failed; the relay does not retry. */
  | { readonly kind: 'failed' }
  /** Never received, or expired. */
  | { readonly kind: 'not_found' };

const reasonLoggedMax = 300;

/** The solver relay: it accepts signed intents and submits them to the chain. Every method throws Unavailable when it was not answered. */
export class SolverRelay {
  private readonly logger = new Logger(SolverRelay.name);

  constructor(private readonly http: JsonHttp) {}

  /** Sends these exact bytes, once; the caller decides whether to send them again. */
  publish(request: string): Promise<Published> {
    return this.http.ask(
      { name: 'publish_intent', method: 'POST', path: '', body: request, repeatable: false },
      (answer) => {
        const { status, reason } = rpcResult(answer);
        if (status === 'OK') return { kind: 'taken' };
        if (status !== 'FAILED') throw new Malformed('neither OK nor FAILED');
        return this.parseFailure(read.text(reason, 'reason'));
      },
    );
  }

  /** The relay's status of an intent. */
  status(intentHash: string): Promise<RelayStatus> {
    const params = [{ intent_hash: intentHash }];
    const body = JSON.stringify({ jsonrpc: '2.0', id: intentHash, method: 'get_status', params });
    return this.http.ask({ name: 'get_status', method: 'POST', path: '', body, repeatable: true }, (answer) => {
      const result = rpcResult(answer);
      switch (result['status']) {
        case 'SETTLED':
          return { kind: 'settled', transactionHash: read.text(read.object(result['data'], 'data')['hash'], 'hash') };
        case 'PENDING':
        case 'TX_BROADCASTED':
          return { kind: 'pending' };
        case 'NOT_FOUND_OR_NOT_VALID':
          return { kind: result['status_details'] === 'FAILED' ? 'failed' : 'not_found' };
        default:
          throw new Malformed('a status that the relay does not have');
      }
    });
  }

  private parseFailure(reason: string): Published {
    if (reason === 'already processed') return { kind: 'taken_before' };
    const why = contractWords.find(([words]) => words.test(reason))?.[1];
    if (why === undefined)
      throw new CallFailed(`a reason that is not the contract's: ${reason.slice(0, reasonLoggedMax)}`);
    this.logger.warn(`an intent was refused: ${reason.slice(0, reasonLoggedMax)}`);
    return { kind: 'refused', why };
  }
}
