import { Logger } from '@nestjs/common';
import type { JsonHttp } from './json-http';
import { Malformed, read } from './reading';
import { rpcResult } from './verifier';

/** What the relay says to an intent that it was given. */
export type Published =
  | { readonly kind: 'taken' }
  /** It has had the intent before: it took this nonce already. */
  | { readonly kind: 'taken_before' }
  | {
      readonly kind: 'refused';
      readonly why: 'expired' | 'insufficient_balance' | 'key_not_accepted' | 'other';
    };

export type RelayStatus =
  | { readonly kind: 'settled'; readonly transactionHash: string }
  | { readonly kind: 'pending' }
  /** It failed when it was executed; the relay does not try again. */
  | { readonly kind: 'failed' }
  /** Never received, or expired. */
  | { readonly kind: 'not_found' };

const reasonLoggedMax = 300;

/** The solver relay: it takes signed intents and brings them to the chain. Every method throws Unavailable when it was not answered. */
export class SolverRelay {
  private readonly logger = new Logger(SolverRelay.name);

  constructor(private readonly http: JsonHttp) {}

  /** Sends these exact bytes, once: whether they are sent again is for the caller to say. */
  publish(request: string): Promise<Published> {
    return this.http.ask(
      { name: 'publish_intent', method: 'POST', path: '', body: request, repeatable: false },
      (answer) => {
        const { status, reason } = rpcResult(answer);
        if (status === 'OK') return { kind: 'taken' };
        if (status !== 'FAILED') throw new Malformed('neither OK nor FAILED');
        return this.failed(read.text(reason, 'reason'));
      },
    );
  }

  /** What the relay knows of an intent. */
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

  /** The relay's reasons are the contract's words, sometimes among others of its own. */
  private failed(reason: string): Published {
    if (reason === 'internal') throw new Malformed('the relay failed');
    if (reason === 'already processed' || reason.includes('nonce was already used')) return { kind: 'taken_before' };
    this.logger.warn(`an intent was refused: ${reason.slice(0, reasonLoggedMax)}`);
    return { kind: 'refused', why: whyRefused(reason) };
  }
}

function whyRefused(reason: string): Extract<Published, { kind: 'refused' }>['why'] {
  if (reason === 'expired' || reason.includes('has expired')) return 'expired';
  if (reason.includes('insufficient balance')) return 'insufficient_balance';
  if (reason.includes("public key doesn't exist")) return 'key_not_accepted';
  return 'other';
}
