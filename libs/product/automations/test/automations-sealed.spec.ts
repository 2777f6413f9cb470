import { randomUUID } from 'node:crypto';
import { EventStore } from '@app/event-store';
import { asId, type UserId } from '@app/kernel';
import { KeyRing, userKeyId } from '@app/sealing';
import type { TestClient } from '@app/testing/client';
import type { Deployment } from '@app/testing/deployment';
import { act, anInstant, defined, giveInput, partOf, read, sql } from '@app/testing/journeys';
import { until } from '@app/testing/until';
import { onTwoReplicas } from './two-replicas';

let deployment: Deployment;
let user: TestClient;
onTwoReplicas((stage) => ({ deployment, user } = stage));

const erased = { erased: true };
const heartbeat = (value: unknown) => ({
  bindings: [{ name: 'pulse', source: { kind: 'event' }, maxAgeSeconds: 60 }],
  rule: { compare: { left: { binding: 'pulse', field: '/data/rate' }, op: 'eq', right: { value } } },
});
const secret = {
  name: 'Grandmother Quixotina',
  prompt: 'ring the surgeon Zebulonius',
  profile: { instructions: 'speak like Xanthippeia' },
  condition: heartbeat('Fluxcapacitoria'),
};
const words = ['Quixotina', 'Zebulonius', 'Xanthippeia', 'Fluxcapacitoria', 'Mnemosynthia', '73.5173'];

/** Tables in which a row has the text, and types of stored events that have it. */
async function placesOf(text: string): Promise<string[]> {
  const tables = await sql<{ name: string }>(
    deployment,
    `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`,
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const rows = await sql(deployment, `SELECT 1 FROM "${name}" AS t WHERE strpos(t::text, $1) > 0 LIMIT 1`, [text]);
    if (rows.length > 0) found.push(name);
  }
  const stored = await partOf(deployment, EventStore).readAllRaw(0, 10_000);
  const having = stored.filter(({ data, metadata }) => [data, metadata].some((bytes) => bytes.includes(text)));
  return [...found, ...having.map(({ type }) => type)];
}

/** Destroys the user's key, as an erasure does. */
async function destroyKey(): Promise<void> {
  const keyId = userKeyId(asId<UserId>(user.userId));
  await sql(deployment, 'UPDATE sealing_keys SET wrapped = NULL, destroyed_at = now() WHERE key_id = $1', [keyId]);
  partOf(deployment, KeyRing).forget([keyId]);
}

async function listed(): Promise<Record<string, unknown>[]> {
  return (await user.get<{ data: Record<string, unknown>[] }>('/automations?state=all')).body.data;
}

it('no table and no event has a word of a definition, of an input, or of the last check in clear', async () => {
  const { id } = await defined(user, secret);
  await giveInput(user, id, 'signal', { input: { rate: 73.5173, who: 'Mnemosynthia' } });
  const check = await until('the check', async () => {
    const status = await user.get<{ lastCheck: object | null }>(`/automations/${id}/status`);
    return status.body.lastCheck;
  });
  expect(check).toMatchObject({ condition: 'unknown', facts: [{ value: '73.5173' }] });
  expect(await read(user, id)).toMatchObject({ name: secret.name, definition: secret });
  for (const word of words) expect([word, await placesOf(word)]).toEqual([word, []]);
  // The search finds what is in clear: what wakes the rule.
  const clear = ['automations', 'automation.created'];
  expect(await placesOf('order.placed')).toEqual(expect.arrayContaining(clear));
});

it('shows that words were erased, in lists and searches, and finds none of them', async () => {
  const kept = await defined(user, { ...secret, name: 'Kept' });
  await defined(user, secret);
  expect((await user.get('/automations/search?query=zebulonius')).body).toMatchObject({ total: 2 });
  await destroyKey();
  const [, row] = await listed();
  const { rule: _, ...condition } = secret.condition;
  expect(row).toMatchObject({
    id: kept.id,
    name: erased,
    definition: {
      ...kept.definition,
      name: erased,
      prompt: erased,
      profile: erased,
      condition: { ...condition, rule: erased },
    },
  });
  expect((await user.get('/automations/search?query=zebulonius')).body).toMatchObject({ total: 0, items: [] });
  expect((await user.get('/automations/search?query=placed')).body).toEqual({
    asOf: anInstant,
    total: 2,
    items: [
      { automationId: kept.id, name: erased, state: 'enabled', task: erased },
      { automationId: expect.any(String), name: erased, state: 'enabled', task: erased },
    ],
    nextOffset: null,
  });
});

it('leaves inputs out of simulations whose event was erased', async () => {
  const { id } = await defined(user, { condition: heartbeat(1) });
  await giveInput(user, id, 'signal', { input: { rate: 2 }, idempotencyKey: randomUUID() });
  const simulated = async () => {
    const { now } = await deployment.sandbox<{ now: string }>('GET', 'clock');
    const from = new Date(Date.parse(now) - 3_600_000).toISOString();
    const { body } = await user.post(`/automations/${id}/simulate`, { from, to: now });
    return body;
  };
  expect(await simulated()).toMatchObject({ evaluated: 1, matched: 0, unknown: 0 });
  await act(user, id, 'pause');
  await destroyKey();
  expect(await simulated()).toMatchObject({ evaluated: 0 });
});

it('searches all, in pages, however many it takes to open them', async () => {
  // Each rule takes some 60 KiB, so the user's rules take more than one page of what is read at once.
  const long = Array.from({ length: 4 }, () => ({
    compare: { left: { value: 'x'.repeat(15_000) }, op: 'ne', right: { value: 1 } },
  }));
  const condition = { ...heartbeat(1), rule: { any: long } };
  const ids: string[] = [];
  for (let nth = 0; nth < 24; nth += 1)
    ids.push((await defined(user, { name: nth % 2 === 0 ? `even ${nth}` : `odd ${nth}`, condition })).id);
  const found: string[] = [];
  for (let offset: number | null = 0; offset !== null;) {
    const { body }: { body: Page } = await user.get<Page>(`/automations/search?query=EVEN&offset=${offset}`);
    expect(body.total).toBe(12);
    found.push(...body.items.map(({ automationId }) => automationId));
    offset = body.nextOffset;
  }
  expect(found).toEqual(ids.filter((_, nth) => nth % 2 === 0));
});

interface Page extends Record<string, unknown> {
  readonly total: number;
  readonly items: readonly { readonly automationId: string }[];
  readonly nextOffset: number | null;
}
