import { randomUUID } from 'node:crypto';
import { CommandBus } from '@nestjs/cqrs';
import { HoldAutomation, ReleaseAutomation } from '@app/automations';
import { asId, type AutomationId } from '@app/kernel';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import type { TestClient } from '@app/testing/client';
import {
  act,
  allPages,
  anInstant,
  atRest,
  type AutomationBody,
  aUuid,
  byOperator,
  defined,
  eventCount,
  expectProblem,
  hourly,
  type Listed,
  missingId,
  partOf,
  read,
  rule,
  update,
} from '@app/testing/journeys';

const perUser = 12;

let deployment: Deployment;
let user: TestClient;
/** The same user on the other replica. */
let there: TestClient;
beforeAll(async () => {
  const env = { AUTOMATIONS_PER_USER: String(perUser) };
  deployment = await startDeployment({ mode: 'in-process', replicas: { api: 2 }, env });
});
beforeEach(async () => {
  user = await deployment.newUser();
  there = user.via(deployment.baseUrls[1] ?? '');
});
afterEach(() => atRest(deployment));
afterAll(() => deployment.stop());

const revisionForm = /^1\.[0-9a-f]{8}-[0-9a-f-]{27}$/;

describe('automations.create', () => {
  it('answers the automation, which is read, listed and counted at once on any replica', async () => {
    const definition = rule({ profile: { instructions: 'be brief' } });
    const { status, body } = await user.post('/automations', definition);
    expect([status, body]).toEqual([
      201,
      {
        id: aUuid,
        name: 'Tell the time',
        state: 'enabled',
        definitionVersion: 1,
        definition,
        held: false,
        revision: expect.stringMatching(revisionForm),
        contractApprovalId: null,
        nextRunAt: null,
        occurrences: 0,
        createdAt: anInstant,
        updatedAt: anInstant,
        archivedAt: null,
      },
    ]);
    expect((await there.get(`/automations/${String(body['id'])}`)).body).toEqual(body);
    expect((await there.get('/automations')).body).toEqual({ data: [body], nextCursor: null, total: 1 });
  });

  it('says when the rule is looked at next, and fills in how long an admission is tried', async () => {
    const { firing, ...rest } = hourly() as { firing: { retryForSeconds?: number } };
    const { retryForSeconds: _, ...policy } = firing;
    const { body } = await user.post<AutomationBody>('/automations', { ...rest, firing: policy });
    expect(Date.parse(String(body['nextRunAt'])) - Date.parse(String(body['createdAt']))).toBe(3_600_000);
    expect(body.definition['firing']).toEqual({ ...policy, retryForSeconds: 900 });
  });

  it('is 400 with pointers for what a schema can say, and 409 for what cannot run', async () => {
    const before = await eventCount(deployment);
    expectProblem(await user.post('/automations', { ...rule({ name: '' }), surprise: 1 }), 'invalid_input', {
      at: ['/surprise', '/name'],
    });
    expectProblem(await user.post('/automations'), 'invalid_input');
    const never = hourly({
      wake: { kind: 'schedule', schedule: { kind: 'cron', expression: '0 0 31 2 *', timezone: 'UTC' } },
    });
    expectProblem(await user.post('/automations', never), 'automation_invalid');
    expectProblem(
      await user.post('/automations', rule({ profile: { tools: ['no_such_tool'] } })),
      'automation_invalid',
    );
    expect(await eventCount(deployment)).toBe(before);
  });

  it('lets a user have so many and no more, however many are asked for at once, on two replicas', async () => {
    const all = await Promise.all(
      Array.from({ length: 3 * perUser }, (_, nth) => (nth % 2 === 0 ? user : there).post('/automations', rule())),
    );
    expect(all.filter(({ status }) => status === 201)).toHaveLength(perUser);
    for (const refused of all.filter(({ status }) => status !== 201)) expectProblem(refused, 'automation_limit');
    expect((await user.get<Listed>('/automations')).body.total).toBe(perUser);
    const one = all.find(({ status }) => status === 201)?.body['id'];
    expect((await there.request('DELETE', `/automations/${String(one)}`)).status).toBe(204);
    expect((await user.post('/automations', rule())).status).toBe(201);
    expectProblem(await there.post('/automations', rule()), 'automation_limit');
  });
});

describe('automations.list', () => {
  it('is newest first, page by page, by state, with kept totals', async () => {
    const made: AutomationBody[] = [];
    for (let nth = 0; nth < 5; nth += 1) made.push(await defined(user, { name: `number ${nth}` }));
    const [first, second, third] = made.map(({ id }) => id);
    await user.request('DELETE', `/automations/${first}`);
    await act(user, second ?? '', 'pause');
    const ids = async (query: string) =>
      (await allPages(user, `/automations?limit=2${query}`)).items.map(({ id }) => id);
    const newest = made.map(({ id }) => id).reverse();
    expect(await ids('')).toEqual(newest.slice(0, 4));
    expect(await ids('&state=current')).toEqual(newest.slice(0, 4));
    expect(await ids('&state=all')).toEqual(newest);
    expect(await ids('&state=enabled')).toEqual(newest.slice(0, 3));
    expect(await ids('&state=paused')).toEqual([second]);
    expect(await ids('&state=archived')).toEqual([first]);
    const totals = ['current', 'enabled', 'paused', 'archived', 'all'].map(async (state) => {
      return (await there.get<Listed>(`/automations?state=${state}`)).body.total;
    });
    expect(await Promise.all(totals)).toEqual([4, 3, 1, 1, 5]);
    const { body } = await user.get<Listed<AutomationBody>>('/automations?state=all');
    for (const listed of body.data) expect(listed).toEqual(await read(there, listed.id));
    expectProblem(await user.get('/automations?state=gone'), 'invalid_input', { at: ['/state'] });
    const { nextCursor } = (await user.get<Listed>('/automations?limit=1')).body;
    expectProblem(await user.get(`/automations?state=all&cursor=${nextCursor}`), 'invalid_cursor');
    expect(third).toBe(newest[2]);
  });
});

describe('a revision', () => {
  it('is another one after each update and each resumption, and stays with a pause', async () => {
    const one = await defined(user, hourly());
    const paused = await act(user, one.id, 'pause');
    expect(paused.body).toMatchObject({ state: 'paused', revision: one.revision, nextRunAt: null });
    expect((await act(there, one.id, 'pause')).body).toEqual(paused.body);
    const resumed = await act(there, one.id, 'resume');
    expect(resumed.body).toMatchObject({ state: 'enabled', definitionVersion: 1, nextRunAt: anInstant });
    expect(resumed.body.revision).not.toBe(one.revision);
    expect((await act(user, one.id, 'resume')).body).toMatchObject({ revision: resumed.body.revision });
    const updated = await update(there, resumed.body, rule({ name: 'Another name' }));
    expect([updated.status, updated.body]).toMatchObject([
      200,
      { name: 'Another name', definitionVersion: 2, revision: expect.stringMatching(/^2\./), nextRunAt: null },
    ]);
    expect(await read(user, one.id)).toEqual(updated.body);
    for (const stale of [one.revision, resumed.body.revision, '', 'x'.repeat(500)]) {
      expectProblem(await update(user, { ...one, revision: stale }, rule()), 'automation_changed');
      expectProblem(await act(user, one.id, 'pause', stale), 'automation_changed');
      expectProblem(await act(user, one.id, 'resume', stale), 'automation_changed');
    }
    expect(await read(user, one.id)).toEqual(updated.body);
  });

  it('lets one of many writes at once through', async () => {
    const one = await defined(user);
    const writes = Array.from({ length: 10 }, (_, nth) =>
      update(nth % 2 ? user : there, one, rule({ name: `by ${nth}` })),
    );
    const answers = await Promise.all(writes);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const lost of answers.filter(({ status }) => status !== 200)) expectProblem(lost, 'automation_changed');
    expect((await read(user, one.id)).definitionVersion).toBe(2);
  });

  it('must be a text, and a definition must be one, told by pointers into the body', async () => {
    const one = await defined(user);
    const path = `/automations/${one.id}`;
    const bad = { ...rule(), prompt: '' };
    expectProblem(await user.request('PUT', path, { revision: one.revision, definition: bad }), 'invalid_input', {
      at: ['/definition/prompt'],
    });
    expectProblem(await user.request('PUT', path, { revision: 1, definition: [] }), 'invalid_input', {
      at: ['/definition', '/revision'],
    });
    expectProblem(await user.post(`${path}/pause`, {}), 'invalid_input', { at: ['/revision'] });
    const past = rule({ firing: { ...(one.definition['firing'] as object), endAt: '2020-01-01T00:00:00Z' } });
    expectProblem(await update(user, one, past), 'automation_invalid');
    expect(await read(user, one.id)).toEqual(one);
  });
});

describe('automations.remove', () => {
  it('archives for good, as often as one likes', async () => {
    const one = await defined(user, hourly());
    const path = `/automations/${one.id}`;
    expect((await user.request('DELETE', path)).status).toBe(204);
    const archived = await read(there, one.id);
    expect(archived).toMatchObject({ state: 'archived', archivedAt: anInstant, nextRunAt: null });
    expect((await there.request('DELETE', path)).status).toBe(204);
    expect(await read(user, one.id)).toEqual(archived);
    expectProblem(await act(user, one.id, 'pause'), 'automation_completed');
    expectProblem(await act(user, one.id, 'resume'), 'automation_completed');
    expectProblem(await update(user, archived, rule()), 'automation_completed');
    const key = { revision: archived.revision, idempotencyKey: randomUUID() };
    expectProblem(await user.post(`${path}/signal`, key), 'automation_completed');
    expectProblem(await user.post(`${path}/invoke`, key), 'automation_completed');
    expectProblem(await act(user, one.id, 'rotate-webhook-secret'), 'automation_changed');
  });
});

describe('an operator’s hold', () => {
  it('is shown, keeps what is handed out, and leaves the revision', async () => {
    const one = await defined(user);
    const commands = partOf(deployment, CommandBus);
    const { cause } = byOperator(user);
    const automationId = asId<AutomationId>(one.id);
    expect(await commands.execute(new HoldAutomation(automationId, 'looks odd', cause))).toEqual({
      ok: true,
      value: undefined,
    });
    expect(await read(there, one.id)).toEqual({ ...one, held: true });
    const key = { revision: one.revision, idempotencyKey: randomUUID() };
    expectProblem(await there.post(`/automations/${one.id}/signal`, key), 'automation_held');
    await commands.execute(new ReleaseAutomation(automationId, 'was fine', cause));
    expect(await read(there, one.id)).toEqual(one);
    expect((await there.post(`/automations/${one.id}/signal`, key)).status).toBe(200);
  });
});

it('answers for an automation that there is not', async () => {
  const revision = '1.0190a000-0000-7000-8000-00000000dead';
  const path = `/automations/${missingId}`;
  expectProblem(await user.get(path), 'not_found');
  expectProblem(await user.request('DELETE', path), 'not_found');
  expectProblem(await user.request('PUT', path, { revision, definition: rule() }), 'not_found');
  expectProblem(await user.get(`${path}/status`), 'not_found');
  expectProblem(await user.get(`${path}/occurrences`), 'not_found');
  expectProblem(await user.post(`${path}/test-condition`), 'not_found');
  for (const action of ['pause', 'resume', 'rotate-webhook-secret'])
    expectProblem(await user.post(`${path}/${action}`, { revision }), 'not_found');
});
