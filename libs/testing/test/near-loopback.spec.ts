/**
 * The double of NEAR Intents refuses the same requests as the real services, so that a wrong request of ours is found
 * here, not on the chain.
 */
import { asId, type UserId } from '@app/kernel';
import { randomUUID } from 'node:crypto';
import { NearChain, relayKey, startNearLoopback, type NearLoopback } from '../src/near';
import { startLedger, type LedgerUnderTest } from '../../../test/providers/sandbox-provider';

let ledger: LedgerUnderTest;
let loopback: NearLoopback;
beforeAll(async () => {
  ledger = await startLedger();
  loopback = await startNearLoopback(new NearChain(ledger, () => asId<UserId>(randomUUID())));
});
afterAll(async () => {
  await loopback.stop();
  await ledger.stop();
});

const json = { 'content-type': 'application/json' };
const keyed = { ...json, 'x-api-key': relayKey };
const quote = {
  dry: false,
  swapType: 'EXACT_INPUT',
  slippageTolerance: 100,
  amount: '1',
  deadline: '2026-11-24T00:00:00Z',
  originAsset: 'a',
  depositType: 'INTENTS',
  destinationAsset: 'b',
  refundTo: 'c',
  refundType: 'INTENTS',
  recipient: 'c',
  recipientType: 'INTENTS',
};
const asked = (method: string): string => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [{}] });

it.each([
  ['a node asked by GET', 'GET', '/near', json, null, 405],
  ['the relay asked by GET', 'GET', '/relay', keyed, null, 405],
  ['a body that is not declared as JSON', 'POST', '/near', {}, asked('query'), 415],
  ['the relay without a key', 'POST', '/relay', json, asked('get_status'), 401],
  ['the relay with another key', 'POST', '/relay', { ...json, 'x-api-key': 'other' }, asked('get_status'), 401],
  ['a quote without its members', 'POST', '/v0/quote', json, '{"dry":false,"amount":"1"}', 400],
  ['a quote of another kind', 'POST', '/v0/quote', json, JSON.stringify({ ...quote, slippageTolerance: '1' }), 400],
  ['1Click with another token', 'GET', '/v0/tokens', { 'x-api-key': 'other' }, null, 401],
] as const)('%s is refused', async (_what, method, path, headers, body, status) => {
  const response = await fetch(`${loopback.url}${path}`, { method, headers, ...(body !== null && { body }) });
  await response.text();
  expect(response.status).toBe(status);
});

it('an intent for a quote that nobody made is refused', async () => {
  const body = JSON.stringify({ type: 'swap_transfer', standard: 'nep413', signerId: 'a', depositAddress: 'b' });
  const response = await fetch(`${loopback.url}/v0/generate-intent`, { method: 'POST', headers: json, body });
  expect([response.status, await response.json()]).toEqual([400, { message: 'no such quote' }]);
});

it.each([
  ['no JSON-RPC 2.0', { id: 1, method: 'query' }, -32_600],
  ['no id', { jsonrpc: '2.0', method: 'get_status' }, -32_600],
  ['a method that the relay does not have', { jsonrpc: '2.0', id: 1, method: 'publish', params: [{}] }, -32_601],
])('%s is an error of JSON-RPC', async (_what, body, code) => {
  const response = await fetch(`${loopback.url}/relay`, {
    method: 'POST',
    headers: keyed,
    body: JSON.stringify(body),
  });
  expect(await response.json()).toMatchObject({ jsonrpc: '2.0', error: { code } });
});
