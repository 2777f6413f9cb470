import type { Revocation, Submission } from '@app/wallets';
import { relayKey, type WireSigned } from '@app/testing/near';
import type { Stage } from './contract-stage';
import type { NearUnderTest } from './near-provider';

/**
 * The lifetime of submissions in the specs of NEAR's rules: shorter than the provider's own limit, so that an order's
 * end is their deadline.
 */
export const operationSeconds = 300;

interface RelayRequest {
  readonly params: readonly [{ readonly signed_data: WireSigned }];
}

/** The signed intents in a request to the relay. */
export function signedIn(bytes: string): WireSigned {
  // Reason for the assertion: the bytes of a submission are such a request.
  return (JSON.parse(bytes) as RelayRequest).params[0].signed_data;
}

/** The relay's answer to bytes, whoever sends them. */
export async function relayTo({ loopback }: NearUnderTest, bytes: string): Promise<unknown> {
  const headers = { 'content-type': 'application/json', 'x-api-key': relayKey };
  const response = await fetch(`${loopback.url}/relay`, { method: 'POST', headers, body: bytes });
  // Reason for the assertion: every answer of the relay has a result.
  return ((await response.json()) as { result: unknown }).result;
}

/** The contract's error for bytes, whoever submits them; null if it executes them. */
export async function execute({ chain }: NearUnderTest, bytes: string): Promise<string | null> {
  return chain.execute(signedIn(bytes), bytes);
}

/** From now on, this call gets this answer. */
export function answerInstead({ loopback }: NearUnderTest, asked: string, answer: object): void {
  loopback.instead = (name) => (name === asked ? JSON.stringify(answer) : null);
}

export async function revocationOf(stage: Stage<NearUnderTest>, submission: Submission): Promise<Revocation> {
  const revocation = await stage.provider.revocations?.plan(stage.wallet, submission);
  if (revocation == null) throw new Error('it cannot be revoked');
  return revocation;
}
