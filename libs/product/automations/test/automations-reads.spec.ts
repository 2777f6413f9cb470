import { randomUUID } from 'node:crypto';
import { fingerprintOf } from '@app/canonical';
import type { JsonObject } from '@app/kernel';
import type { Deployment } from '@app/testing/deployment';
import type { Answer, TestClient } from '@app/testing/client';
import { until } from '@app/testing/until';
import {
  act,
  anInstant,
  approvalOf,
  approve,
  aUuid,
  contractOf,
  defined,
  expectProblem,
  giveInput,
  hourly,
  read,
  rule,
  update,
  wrappedNear as near,
} from '@app/testing/journeys';
import { onTwoReplicas } from './two-replicas';

let deployment: Deployment;
let user: TestClient;
let there: TestClient;
onTwoReplicas((stage) => ({ deployment, user, there } = stage));

interface Page extends Record<string, unknown> {
  readonly items: readonly {
    automationId: string;
    name: string;
    state: string;
    task: { text: string; truncated: boolean };
  }[];
  readonly total: number;
  readonly nextOffset: number | null;
}

const expectInvalid = (answer: Answer, ...at: string[]) => expectProblem(answer, 'invalid_input', { at });

const search = async (query: Record<string, string>): Promise<Page> => {
  const { status, body } = await there.get<Page>(`/automations/search?${new URLSearchParams(query).toString()}`);
  expect(status).toBe(200);
  return body;
};

describe('automations.search', () => {
  it('finds by whole words of name, prompt and behavior, whatever their case and spelling', async () => {
    const coffee = await defined(user, { name: 'Café Orders', prompt: 'tell me what ⅷ tables want' });
    const rent = await user.post<{ id: string }>('/automations', hourly({ name: 'Rent', prompt: 'pay it' }));
    const names = async (query: string) => (await search({ query })).items.map(({ name }) => name);
    for (const query of ['café', 'CAFE\u0301 orders', 'want tables', 'VIII', 'orders, want!', 'order placed'])
      expect([query, await names(query)]).toEqual([query, ['Café Orders']]);
    for (const query of ['caf', 'cafe', 'order rent', 'tablesx'])
      expect([query, await names(query)]).toEqual([query, []]);
    expect(await names('hour')).toEqual(['Rent']);
    expect(await names('')).toEqual(['Café Orders', 'Rent']);
    expect(await names('?!')).toEqual(['Café Orders', 'Rent']);
    // The search words follow the definition.
    await update(user, await read(user, rent.body.id), rule({ name: 'Mortgage' }));
    expect(await names('rent')).toEqual([]);
    expect(await names('mortgage')).toEqual(['Mortgage']);
    const task = { text: 'tell me what ⅷ tables want', truncated: false };
    const found = { automationId: coffee.id, name: 'Café Orders', state: 'enabled', task };
    expect((await search({})).items[0]).toEqual(found);
  });

  it('pages by five, oldest first, by state, with the total on each', async () => {
    const ids: string[] = [];
    for (let nth = 0; nth < 7; nth += 1) ids.push((await defined(user, { name: `number ${nth}` })).id);
    await user.request('DELETE', `/automations/${ids[6]}`);
    await act(user, ids[5] ?? '', 'pause');
    const first = await search({ query: 'number' });
    expect(first).toEqual({ asOf: anInstant, total: 6, items: expect.any(Array), nextOffset: 5 });
    const second = await search({ query: 'number', offset: '5' });
    expect([...first.items, ...second.items].map(({ automationId }) => automationId)).toEqual(ids.slice(0, 6));
    expect(second).toMatchObject({ total: 6, nextOffset: null });
    expect(await search({ offset: '6' })).toMatchObject({ total: 6, items: [], nextOffset: null });
    for (const [state, total] of Object.entries({ current: 6, enabled: 5, paused: 1, archived: 1, all: 7 }))
      expect([state, (await search({ state })).total]).toEqual([state, total]);
    expectInvalid(await user.get('/automations/search?offset=-1&state=x'), '/state', '/offset');
    expectInvalid(await user.get(`/automations/search?query=${'x'.repeat(121)}`), '/query');
  });

  it('keeps a page within 8 KiB, and loses none for it', async () => {
    // As many bytes as names and prompts can have, because JSON escapes each character.
    const name = '\u0001'.repeat(120);
    const prompt = '\u0002'.repeat(1_000);
    for (let nth = 0; nth < 6; nth += 1) await defined(user, { name, prompt });
    const seen = new Set<string>();
    for (let offset: number | null = 0; offset !== null;) {
      const url = there.url(`/automations/search?offset=${offset}`);
      const text = await (await fetch(url, { headers: there.headers })).text();
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(8192);
      const page = JSON.parse(text) as Page; // reason for the assertion: as the test above checks
      expect(page.total).toBe(6);
      for (const { automationId, task } of page.items) {
        seen.add(automationId);
        expect([[...task.text].length, task.truncated]).toEqual([160, true]);
      }
      offset = page.nextOffset;
    }
    expect(seen.size).toBe(6);
  });
});

describe('automations.status', () => {
  const wake = { kind: 'schedule', schedule: { kind: 'every', seconds: 60 } };
  const statusOf = async (id: string) => (await there.get(`/automations/${id}/status`)).body;
  /** The status once it has this member. */
  const untilStatusTells = (id: string, member: 'lastCheck' | 'latestOccurrence') =>
    until('the first check', async () => {
      const status = await statusOf(id);
      return status[member] === null ? null : status;
    });
  const priceBelow = (value: string) => ({
    bindings: [{ name: 'near', source: { kind: 'token_price', tokenId: near }, maxAgeSeconds: 300 }],
    rule: { compare: { left: { binding: 'near', field: '/priceUsd' }, op: 'lt', right: { value } } },
  });

  it('tells what was seen at the last check, what came of it, and how it is doing', async () => {
    await deployment.sandbox('PUT', `prices/${encodeURIComponent(near)}`, { priceUsd: '1.9' });
    const { id } = await defined(user, { wake, condition: priceBelow('2') });
    const unchecked = await statusOf(id);
    expect(unchecked).toEqual({
      asOf: anInstant,
      automationId: id,
      name: 'Tell the time',
      state: 'enabled',
      monitoring: 'waiting',
      behavior: { text: expect.stringContaining('minute'), truncated: false },
      lastCheck: null,
      issue: null,
      latestOccurrence: null,
    });
    await deployment.sandbox('POST', 'clock', { advanceSeconds: 61 });
    const healthy = await untilStatusTells(id, 'latestOccurrence');
    expect(healthy).toMatchObject({
      monitoring: 'healthy',
      issue: null,
      lastCheck: {
        at: anInstant,
        condition: 'matched',
        omittedFacts: 0,
        facts: [{ label: expect.any(String), value: '1.9', unit: 'USD', observedAt: anInstant }],
      },
      latestOccurrence: { at: anInstant, delivery: expect.any(String), reason: null },
    });
    expect(Object.keys(healthy).sort()).toEqual(Object.keys(unchecked).sort());
    const { lastCheck } = healthy;
    await act(user, id, 'pause');
    expect(await statusOf(id)).toMatchObject({ state: 'paused', monitoring: 'paused', lastCheck });
    // A new activation has no check yet.
    await act(user, id, 'resume');
    expect(await statusOf(id)).toMatchObject({ monitoring: 'waiting', lastCheck: null });
    await user.request('DELETE', `/automations/${id}`);
    expect(await statusOf(id)).toMatchObject({ state: 'archived', monitoring: 'completed' });
  });

  it('is not defined over a token that no source knows', async () => {
    const unknown = { ...priceBelow('2').bindings[0], source: { kind: 'token_price', tokenId: 'nep141:unknown.near' } };
    const condition = { ...priceBelow('2'), bindings: [unknown] };
    expectProblem(await user.post('/automations', rule({ condition })), 'automation_invalid');
  });

  it('says that a provider could not be read', async () => {
    const { id } = await defined(user, { wake, condition: priceBelow('2') });
    await deployment.sandbox('PUT', 'faults', { provider: { down: true } });
    await deployment.sandbox('POST', 'clock', { advanceSeconds: 61 });
    expect(await untilStatusTells(id, 'lastCheck')).toMatchObject({
      monitoring: 'unavailable',
      latestOccurrence: null,
      lastCheck: { condition: 'unknown' },
      issue: { text: expect.stringContaining('near'), truncated: false },
    });
    await deployment.sandbox('PUT', 'faults', { provider: { down: false } });
    await user.request('DELETE', `/automations/${id}`);
  });
});

describe('a contract', () => {
  const bounds = { maxUses: 2, perUseUsd: '20', totalUsd: '40', notAfter: '2199-01-01T00:00:00Z' };
  const contract = contractOf(bounds);

  it('is asked for once, kept while it stays the same, and superseded by another', async () => {
    const one = await defined(user, { contract });
    const first = String(one['contractApprovalId']);
    const asked = await approvalOf(there, first);
    expect(asked).toMatchObject({
      kind: 'automation_contract',
      tool: 'automation_contract',
      status: 'pending',
      automationId: one.id,
      input: one.definition,
      contract: one.definition['contract'],
      conversationId: null,
      runId: null,
      openedAt: anInstant,
      expiresAt: anInstant,
    });
    const { id: approvalId, kind, tool, input, contract: reviewed, expiresAt, summary, terms } = asked;
    const { id: walletId } = (await user.get('/wallet')).body;
    const { userId } = user;
    const executed = { approvalId, kind, userId, walletId, tool, input, contract: reviewed, expiresAt };
    const document = { v: 2, ...executed, summary, terms };
    expect(asked.fingerprint).toBe(fingerprintOf(document as JsonObject)); // reason for the assertion: read from JSON
    expect(Date.parse(asked.expiresAt) - Date.parse(String(asked['openedAt']))).toBe(7 * 86_400_000);
    expect((await approve(user, asked)).status).toBe(200);
    const renamed = await update(user, await read(there, one.id), rule({ name: 'Another name', contract }));
    expect(renamed.body).toMatchObject({ contractApprovalId: first, definitionVersion: 2 });
    const wider = contractOf({ ...bounds, maxUses: 3 });
    const changed = await update(there, renamed.body, rule({ contract: wider }));
    const second = String(changed.body['contractApprovalId']);
    expect(changed.body).toMatchObject({ contractApprovalId: aUuid });
    expect(second).not.toBe(first);
    expect(await approvalOf(user, second)).toMatchObject({ status: 'pending' });
    const without = await update(user, changed.body, rule());
    expect(without.body).toMatchObject({ contractApprovalId: null });
    expect(await approvalOf(user, second)).toMatchObject({ status: 'expired', endedReason: 'superseded' });
    expect((await user.get(`/automations?state=all`)).body).toMatchObject({ data: [without.body] });
  });

  it('must have bounds, and tokens as they are', async () => {
    const unbounded = { ...contract, bounds: undefined };
    expectInvalid(await user.post('/automations', rule({ contract: unbounded })), '/contract/bounds');
    const past = contractOf({ ...bounds, notAfter: '2020-01-01T00:00:00Z' });
    expectProblem(await user.post('/automations', rule({ contract: past })), 'automation_invalid');
    const scaled = JSON.parse(JSON.stringify(contract).replace('"decimals":6', '"decimals":7')) as object; // reason: a JSON object
    expectProblem(await user.post('/automations', rule({ contract: scaled })), 'automation_invalid');
    expect((await user.get('/automations?state=all')).body).toMatchObject({ total: 0 });
  });
});

describe('automations.simulate', () => {
  it('takes a span of at most 7 days that is over, and answers without recording anything', async () => {
    const { id } = await defined(user);
    await giveInput(user, id, 'signal', { idempotencyKey: randomUUID() });
    const path = `/automations/${id}/simulate`;
    const clock = await deployment.sandbox<{ now: string }>('GET', 'clock');
    const at = (ms: number) => new Date(Date.parse(clock.now) + ms).toISOString();
    const simulated = await there.post(path, { from: at(-3_600_000), to: clock.now });
    const members = ['asOf', 'definitionVersion', 'coverage', 'evaluated', 'matched', 'fired', 'truncated'];
    expect([simulated.status, Object.keys(simulated.body)]).toEqual([200, expect.arrayContaining(members)]);
    expect(simulated.body).toMatchObject({ definitionVersion: 1, truncated: false });
    expectInvalid(await user.post(path, { from: at(-3_600_000), to: at(3_600_000) }), '/to');
    expectInvalid(await user.post(path, { from: at(-8 * 86_400_000), to: at(0) }), '/from');
    expectInvalid(await user.post(path, { from: 'x' }), '/from', '/to');
  });
});
