/** Every row of the table of reasons, earned by a real request of a real deployment (specification, "Errors"). */
import { problemKinds, reasons, type ProblemKind, type Reason } from '@app/kernel';
import { atRest } from '@app/testing/journeys';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import type { Answer } from '@app/testing/client';
import { earned, type Earned } from './reasons';
import { lowered } from './troubles';

const earnedWithinMs = 120_000;
const startedWithinMs = 120_000;

// Reason for the assertion: the table's own keys.
const names = Object.keys(reasons) as Reason[];
const paid = new Set<Reason>();
afterAll(() => {
  process.stdout.write(`reasons: ${paid.size} of ${names.length} earned\n`);
});

/** The reasons that one kind of deployment can earn, as rows of a table of tests. */
function rows(by: Earned['by']): [Reason, string, Earned][] {
  return names.flatMap((reason) => {
    const ways = earned[reason].filter((way) => way.by === by);
    return ways.map((way) => [reason, way.request, way] satisfies [Reason, string, Earned]);
  });
}

/** Expects the whole problem as in the table, and the headers by which a client knows how to react. */
function expectEarned(answer: Answer<object>, reason: Reason, way: Earned): void {
  const row = reasons[reason];
  const { status = row.status, retryable = row.retryable } = way;
  const kind: ProblemKind = status === row.status ? row.kind : 'unavailable';
  const title = status === row.status ? row.title : problemKinds[kind].title;
  const { requestId, detail: _, issues: __, change, ...told } = answer.body as Answer['body']; // reason for the assertion: a problem's members
  expect(told).toEqual({ type: `urn:parley:error:${kind}`, title, status, reason, retryable });
  expect(typeof change).toBe(reason === 'withdrawal_changed' ? 'string' : 'undefined');
  expect(answer.status).toBe(status);
  const { headers } = answer;
  expect(headers.get('content-type')).toBe('application/problem+json');
  expect(headers.get('x-request-id')).toBe(requestId);
  const challenge = reason === 'credential_expired' ? 'Bearer error="invalid_token"' : 'Bearer';
  expect(headers.get('www-authenticate')).toBe(status === 401 ? challenge : null);
  if (status === 429) expect(headers.get('retry-after')).toMatch(/^([1-9]|[1-5]\d|6[01])$/);
  else expect(headers.get('retry-after')).toBeNull();
  paid.add(reason);
}

describe('in one process, with lowered limits', () => {
  let deployment: Deployment;
  beforeAll(async () => {
    const env = { LOG_LEVEL: 'silent', ...lowered.inProcess };
    deployment = await startDeployment({ mode: 'in-process', env });
  }, startedWithinMs);
  afterEach(() => atRest(deployment), earnedWithinMs);
  afterAll(() => deployment.stop(), startedWithinMs);

  it.each(rows(undefined))(
    '%s: %s',
    async (reason, _, way) => expectEarned(await way.earn(deployment), reason, way),
    earnedWithinMs,
  );
});

describe('in processes of their own, some of which are killed', () => {
  let deployment: Deployment;
  beforeAll(async () => {
    const env = { LOG_LEVEL: 'silent', ...lowered.processes };
    deployment = await startDeployment({ mode: 'processes', env });
  }, startedWithinMs);
  afterAll(() => deployment.stop(), startedWithinMs);

  it.each(rows('processes'))(
    '%s: %s',
    async (reason, _, way) => expectEarned(await way.earn(deployment), reason, way),
    earnedWithinMs,
  );
});
