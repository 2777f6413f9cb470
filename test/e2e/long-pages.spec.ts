import { limits } from '@app/kernel';
import { Database } from '@app/read-store';
import { KeyRing } from '@app/sealing';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import type { TestClient } from '@app/testing/client';
import { allPages, conversationOf, defined, type Listed, partOf, start, untilEnded } from '@app/testing/journeys';

const mebibyte = 1024 * 1024;
/** Each character takes four bytes, so twelve such runs or fifty such rules exceed a page. */
const longText = '😀'.repeat(limits.inputTextLengthMax);
const longPrompt = '😀'.repeat(8192);
const contract = {
  type: 'ledger_intents_transfer',
  actions: [
    { kind: 'withdraw_to_owner', input: { any: true }, quantity: { kind: 'exact_input_value_usd', value: '2.0' } },
  ],
  bounds: { maxUses: 10, perUseUsd: '5.0', totalUsd: '20.0', notAfter: '2199-01-01T00:00:00.000Z' },
};

let deployment: Deployment;
let user: TestClient;
let conversationId: string;
beforeAll(async () => {
  deployment = await startDeployment({ mode: 'in-process' });
  await deployment.sandbox('PUT', 'faults', { model: { delayMs: 0 } });
  user = await deployment.newUser();
  conversationId = await conversationOf(user);
  for (let n = 0; n < 12; n += 1) {
    const { body } = await start(user, conversationId, longText);
    await untilEnded(user, body.runId);
  }
  for (let n = 0; n < 50; n += 1) await defined(user, { name: `Rule ${n}`, prompt: longPrompt, contract });
});
afterAll(() => deployment.stop());

/** The sizes of a list's pages, in bytes. */
async function pagesInBytes(path: string): Promise<number[]> {
  const sizes: number[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const response = await fetch(user.url(cursor === '' ? path : `${path}&cursor=${cursor}`), {
      headers: user.headers,
    });
    const text = await response.text();
    expect(response.status).toBe(200);
    sizes.push(Buffer.byteLength(text));
    ({ nextCursor: cursor } = JSON.parse(text) as Listed); // reason for the assertion: the answer of a list
  }
  return sizes;
}

describe('a page ends early at 1 MiB of JSON', () => {
  const lists: readonly [string, () => string, number][] = [
    ['runs.list', () => '/agent-runs', 12],
    ['runs.list of a conversation', () => `/agent-runs?conversationId=${conversationId}`, 12],
    ['conversations.messages', () => `/conversations/${conversationId}/messages`, 24],
    ['events.list', () => `/conversations/${conversationId}/events`, 1 + 12 * 4],
    ['approvals.list', () => '/approvals', 50],
    ['approvals.list of all', () => '/approvals?status=all', 50],
    ['automations.list', () => '/automations', 50],
  ];
  it.each(lists)('%s, and its cursor goes on exactly there', async (_, path, count) => {
    const whole = `${path()}${path().includes('?') ? '&' : '?'}limit=100`;
    const sizes = await pagesInBytes(whole);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(mebibyte);
    // No page ends while one more item would still fit.
    expect(Math.min(...sizes.slice(0, -1))).toBeGreaterThan(mebibyte - 4 * limits.inputTextLengthMax - 4096);
    const { items } = await allPages(user, whole);
    const one = await allPages(user, whole.replace('limit=100', 'limit=1'));
    expect(items).toHaveLength(count);
    expect(items).toEqual(one.items);
  });
});

it('a list of erased words, which are short, has all of them', async () => {
  const destroyed = `UPDATE sealing_keys SET wrapped = NULL, destroyed_at = now() WHERE key_id = $1 RETURNING 1`;
  expect(await partOf(deployment, Database).query(destroyed, [`c/${conversationId}`])).toHaveLength(1);
  partOf(deployment, KeyRing).forgetAll();
  const { items } = await allPages(user, `/conversations/${conversationId}/messages?limit=100`);
  expect(items).toHaveLength(24);
  for (const item of items) expect(item).toMatchObject({ text: { erased: true } });
});
