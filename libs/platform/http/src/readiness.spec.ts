import { ReadinessChecks, withoutStreamNames } from './readiness';

it('says on the open port that streams are in trouble, and not whose', async () => {
  const checks = new ReadinessChecks();
  const states = {
    'subscription firing': 'degraded',
    'stream budget-019a3c5f-2b44-7c19-8d03-6e1f4a9b7c02 misses events before revision 20': 'degraded',
  } as const;
  checks.add({ name: 'database', check: () => Promise.resolve('ok') });
  checks.add({ name: 'subscriptions', check: () => Promise.resolve(states) });
  const report = await checks.report(false);
  expect(report).toEqual({ code: 200, body: { status: 'degraded', checks: { database: 'ok', ...states } } });
  expect(withoutStreamNames(report)).toEqual({
    code: 200,
    body: {
      status: 'degraded',
      checks: { database: 'ok', 'subscription firing': 'degraded', streams: 'degraded' },
    },
  });
});
