import { SetClock } from '@app/testing/http';
import { LoopbackIssuer } from '@app/testing/identity';
import { IssuerKeys } from '../src/access/issuer-keys';
import { AccessTokens } from '../src/access/access-tokens';

const bytesMax = 50_000;
const claimLength = 4_000;

let issuer: LoopbackIssuer;
beforeEach(async () => {
  issuer = new LoopbackIssuer();
  await issuer.start();
});
afterEach(() => issuer.stop());

it('verified tokens are remembered by their bytes, and those are forgotten that were used least lately', async () => {
  const clock = new SetClock();
  // It must be ahead of the issue time of every token made during the test.
  clock.nowMs += 600_000;
  const trusted = [{ keys: new IssuerKeys(issuer.issuer, { timeoutMs: 30_000 }), clock, skewMs: 0 }];
  const tokens = new AccessTokens(trusted, { claim: 'aud', values: ['parley'] }, bytesMax);
  const first = await issuer.token();
  await tokens.verify(first);
  const given = [first];
  for (let n = 0; n < 12; n += 1) {
    const token = await issuer.token({ sub: `user-${n}`, groups: 'x'.repeat(claimLength) });
    given.push(token);
    expect((await tokens.verify(token)).kind).toBe('accepted');
    expect(tokens.cachedVerdict(first)?.kind).toBe('accepted');
  }
  const remembered = given.filter((token) => tokens.cachedVerdict(token) !== null);
  expect(remembered).toEqual([first, ...given.slice(1 - remembered.length)]);
  expect(remembered.length).toBeGreaterThan(2);
  expect(remembered.length).toBeLessThanOrEqual(1 + bytesMax / (2 * claimLength));
});
