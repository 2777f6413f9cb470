/** An operator is the bearer of a token of OPERATOR_ISSUER for OPERATOR_AUDIENCE, and no one else (docs/decisions/operators.md). */
import { Controller, Param } from '@nestjs/common';
import { Operator, operation, Serves } from '@app/http';
import { json } from '@app/schema';
import { requestJson } from '@app/testing/client';
import { signIn, startLoopback, type Loopback } from '@app/testing/http';
import { LoopbackIssuer } from '@app/testing/identity';

const audience = 'staff';
const thingId = '019a3c5e-7d1c-7f00-8a4b-3f6b1c2d4e01';

const lookAtThing = operation('things.look', {
  route: 'GET /operator/v1/things/:thingId',
  scope: 'runs',
  summary: 'A thing',
  parameters: { thingId: { description: 'A thing', example: thingId } },
  answer: json(),
});

@Controller()
class OperatedController {
  @Serves(lookAtThing)
  look(@Operator() { subject, issuer, scopes, cause }: Operator, @Param('thingId') id: string) {
    return { id, subject, issuer, scopes, actor: cause.actor };
  }
}

let staff: LoopbackIssuer;
let running: Loopback | null = null;
beforeEach(async () => {
  staff = new LoopbackIssuer('/staff');
  await staff.start();
});
afterEach(async () => {
  await running?.stop();
  running = null;
  await staff.stop();
});

async function started(env: Record<string, string> = {}): Promise<Loopback> {
  const operators = { OPERATOR_ISSUER: staff.issuer, OPERATOR_AUDIENCE: audience };
  const users = new LoopbackIssuer();
  running = await startLoopback({ ...operators, ...env }, undefined, users, OperatedController).catch(
    async (error: unknown) => {
      await users.stop();
      throw error;
    },
  );
  return running;
}

const look = ({ url }: Loopback, headers: Record<string, string>, path = `/operator/v1/things/${thingId}`) =>
  requestJson('GET', url + path, undefined, headers);
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const staffToken = (claims: object = {}) => staff.token({ aud: audience, scope: 'keys runs', sub: 'ada', ...claims });
const problemOf = ({ status, body }: Awaited<ReturnType<typeof look>>) => [status, body['reason'] ?? null];

it('is whoever has a token of that issuer, for that audience', async () => {
  const loopback = await started();
  expect(
    await look(loopback, bearer(await staffToken()), `/operator/v1/things/${thingId.toUpperCase()}`),
  ).toMatchObject({
    status: 200,
    body: {
      id: thingId,
      subject: 'ada',
      issuer: staff.issuer,
      scopes: ['keys', 'runs'],
      actor: { kind: 'operator', id: 'ada' },
    },
  });
  const user = await signIn(loopback);
  const claims = { aud: audience, scope: 'runs', sub: 'ada' };
  for (const token of [user.token, await loopback.issuer.token(claims), await staffToken({ aud: 'parley' })]) {
    expect(problemOf(await look(loopback, bearer(token)))).toEqual([401, null]);
    expect(problemOf(await look(loopback, { ...user.headers, ...bearer(token) }))).toEqual([401, null]);
  }
  expect(problemOf(await look(loopback, bearer(await staffToken({ scope: 'keys' }))))).toEqual([
    403,
    'permission_required',
  ]);
  const malformed = await look(loopback, bearer(await staffToken()), '/operator/v1/things/x');
  expect(problemOf(malformed)).toEqual([404, null]);
});

it('can ask so often in a minute, whatever token they have, and hinders no other operator', async () => {
  const loopback = await started({ RATE_LIMIT_OPERATOR_PER_MINUTE: '2' });
  for (const left of [1, 0]) {
    const { status, headers } = await look(loopback, bearer(await staffToken({ jti: `token-${left}` })));
    const told = [status, headers.get('ratelimit-policy'), headers.get('ratelimit')];
    expect(told).toEqual([200, '"operator";q=2;w=60', `"operator";r=${left};t=60`]);
  }
  const refused = await look(loopback, bearer(await staffToken()));
  expect([...problemOf(refused), refused.headers.get('retry-after')]).toEqual([429, 'rate_limited', '60']);
  expect((await look(loopback, bearer(await staffToken({ sub: 'bob' })))).status).toBe(200);
});

it('is asked to wait, by address, where many calls had no good token; one that has a good one is not', async () => {
  const loopback = await started({ KEY_FAILURES_PER_MINUTE: '2' });
  for (const headers of [{}, bearer('a.b.c')]) expect(problemOf(await look(loopback, headers))).toEqual([401, null]);
  const refused = await look(loopback, {});
  expect(problemOf(refused)).toEqual([429, 'rate_limited']);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await look(loopback, bearer(await staffToken()))).status).toBe(200);
});

it('gets a 503 while the issuer was never heard of, which /readyz calls degraded', async () => {
  staff.away = true;
  const loopback = await started();
  expect(await look(loopback, bearer(await staffToken()))).toMatchObject({ status: 503, body: { retryable: true } });
  const ready = await requestJson('GET', `${loopback.url}/readyz`);
  expect(ready).toMatchObject({
    status: 200,
    body: { status: 'degraded', checks: { 'operator identity provider': 'degraded' } },
  });
});

it('does not stop the start with an issuer that is away, but does with the document of another', async () => {
  staff.claimsToBe = 'https://other.example';
  await expect(started()).rejects.toThrow(/^OPERATOR_ISSUER names .* that of "https:\/\/other.example"/);
});

it('is nobody where no issuer is named', async () => {
  const loopback = await started({ OPERATOR_ISSUER: '' });
  for (const headers of [{}, bearer(await staffToken()), (await signIn(loopback)).headers])
    expect(problemOf(await look(loopback, headers))).toEqual([404, null]);
});
