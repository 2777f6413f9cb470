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

describe('what is read from the database', () => {
  const failing = () => Promise.reject(new Error('the database did not answer'));

  function checksOver(database: 'ok' | 'away'): ReadinessChecks {
    const checks = new ReadinessChecks();
    checks.add({ name: 'database', check: () => Promise.resolve(database) });
    checks.add({ name: 'models', throughDatabase: true, check: failing });
    checks.add({ name: 'mcp orders', throughDatabase: true, check: () => Promise.resolve('degraded') });
    checks.add({ name: 'event store', check: failing });
    return checks;
  }

  it('is not named as away with the database; what is known without it is said', async () => {
    expect((await checksOver('away').report(false)).body.checks).toEqual({
      database: 'away',
      'mcp orders': 'degraded',
      'event store': 'away',
    });
  });

  it('is away where the database answers and it cannot be read', async () => {
    expect((await checksOver('ok').report(false)).body.checks).toMatchObject({ database: 'ok', models: 'away' });
  });
});
