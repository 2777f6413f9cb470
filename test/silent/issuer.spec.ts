/**
 * An issuer accepts connections and never answers: a user whose keys are known is admitted, and a caller that needs keys waits no longer
 * than OIDC_TIMEOUT_MS.
 */
import { goodKey, type Loopback, startLoopback } from '@app/testing/http';
import { LoopbackIssuer } from '@app/testing/identity';
import { SilentSocket } from '@app/testing/proxies';
import { until } from '@app/testing/until';

const timeoutMs = '300';

let issuer: LoopbackIssuer;
let way: SilentSocket;
let app: Loopback;
beforeEach(async () => {
  issuer = new LoopbackIssuer();
  await issuer.start();
  way = await SilentSocket.before({ host: '127.0.0.1', port: Number(new URL(issuer.origin).port) });
});
afterEach(async () => {
  await app.stop();
  await way.close();
  await issuer.stop();
});

async function start(env: Record<string, string>, iss: string): Promise<void> {
  app = await startLoopback({ ...env, OIDC_TIMEOUT_MS: timeoutMs });
  app.accounts.add(iss, 'alice');
}

async function statusFor(token: string): Promise<number> {
  const headers = { 'x-api-key': goodKey, authorization: `Bearer ${token}` };
  return (await fetch(`${app.url}/v1/users/me`, { headers })).status;
}

it('its discovery document: the service starts, and tokens are 503', async () => {
  way.fallSilent();
  const iss = `${way.url}/issuer`;
  await start({ OIDC_ISSUER: iss }, iss);
  expect(await statusFor(await issuer.token({ iss }))).toBe(503);
  expect((await fetch(`${app.url}/readyz`)).status).toBe(503);
});

it('its keys, at the start and after it', async () => {
  const env = { OIDC_ISSUER: issuer.issuer, OIDC_JWKS_URI: `${way.url}/issuer/jwks` };
  way.fallSilent();
  await start(env, issuer.issuer);
  expect(await statusFor(await issuer.token())).toBe(503);
  await app.stop();

  way.speak();
  await start(env, issuer.issuer);
  // On a busy machine the first fetch of the keys may take longer than 300 ms.
  await until('the keys', async () => ((await fetch(`${app.url}/readyz`)).ok ? true : null));
  way.fallSilent();
  expect(await statusFor(await issuer.token())).toBe(200);
  await issuer.rotate('second');
  expect(await statusFor(await issuer.token())).toBe(401);
});

it('that of operators: their tokens are 503, and users are served', async () => {
  way.fallSilent();
  const iss = `${way.url}/issuer`;
  await start({ OIDC_ISSUER: issuer.issuer, OPERATOR_ISSUER: iss }, issuer.issuer);
  const operator = await issuer.token({ iss, aud: 'parley-operator', scope: 'keys' });
  const headers = { authorization: `Bearer ${operator}` };
  expect((await fetch(`${app.url}/operator/v1/nothing`, { headers })).status).toBe(503);
  expect(await statusFor(await issuer.token())).toBe(200);
  const ready = await fetch(`${app.url}/readyz`);
  expect([ready.status, await ready.json()]).toEqual([200, expect.objectContaining({ status: 'degraded' })]);
});
