import type { Deployment } from '@app/testing/deployment';
import type { TestClient } from '@app/testing/client';
import { act, anInstant, defined, eventCount, expectProblem } from '@app/testing/journeys';
import { onTwoReplicas } from './two-replicas';

let deployment: Deployment;
let user: TestClient;
let there: TestClient;
onTwoReplicas((stage) => ({ deployment, user, there } = stage));

describe('automations.testCondition', () => {
  const condition = {
    bindings: [{ name: 'order', source: { kind: 'event' }, maxAgeSeconds: 3600 }],
    rule: { compare: { left: { binding: 'order', field: '/data/total' }, op: 'gt', right: { value: '100' } } },
  };
  const event = (change: object = {}) => ({
    id: 'order-1',
    type: 'any.type',
    occurredAt: new Date().toISOString(),
    data: { total: '150.5' },
    ...change,
  });

  it('looks once, records nothing and fires nothing, in any state', async () => {
    const { id } = await defined(user, { condition });
    const path = `/automations/${id}/test-condition`;
    const before = await eventCount(deployment);
    const tested = await there.post(path, { event: event() });
    expect([tested.status, tested.body]).toEqual([
      200,
      {
        definitionVersion: 1,
        evaluation: {
          verdict: 'true',
          evaluatedAt: anInstant,
          reasons: [],
          inputs: [
            {
              binding: 'order',
              sourceId: 'event',
              eventId: 'order-1',
              receivedAt: anInstant,
              maxAgeSeconds: 3600,
              status: 'ready',
              reason: null,
              kind: 'received_event',
              sourceTime: null,
              providerPublishedAt: anInstant,
            },
          ],
        },
      },
    ]);
    expect((await user.post(path, { event: event({ data: { total: 99 } }) })).body).toMatchObject({
      evaluation: { verdict: 'false' },
    });
    expect((await user.post(path, { event: event({ data: {} }) })).body).toMatchObject({
      evaluation: { verdict: 'unknown', reasons: [{ nodePath: [], code: 'missing_field', binding: 'order' }] },
    });
    expect((await user.post(path)).body).toMatchObject({
      evaluation: {
        verdict: 'unknown',
        reasons: [{ nodePath: [], code: 'missing_source', binding: 'order' }],
        inputs: [],
      },
    });
    expect(await eventCount(deployment)).toBe(before);
    await act(user, id, 'pause');
    expect((await user.post(path, { event: event() })).body).toMatchObject({ evaluation: { verdict: 'true' } });
    const always = await defined(user);
    expect((await user.post(`/automations/${always.id}/test-condition`, {})).body).toMatchObject({
      evaluation: { verdict: 'true', reasons: [], inputs: [] },
    });
  });

  it('takes an inbound event and nothing else', async () => {
    const { id } = await defined(user, { condition });
    const path = `/automations/${id}/test-condition`;
    for (const [given, at] of [
      [event({ id: '_x' }), '/event/id'],
      [event({ type: '1' }), '/event/type'],
      [event({ occurredAt: '2026-02-30T00:00:00Z' }), '/event/occurredAt'],
      [event({ data: [] }), '/event/data'],
      [event({ data: { all: Array<number>(257).fill(0) } }), '/event/data'],
      [event({ more: 1 }), '/event/more'],
      ['an event', '/event'],
    ] as const) {
      expectProblem(await user.post(path, { event: given }), 'invalid_input', { at: [at] });
    }
  });
});
