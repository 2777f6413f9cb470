/**
 * 1Click, the solver relay and an RPC node that break every rule of a connection: each call ends within
 * PROVIDER_TIMEOUT_MS.
 */
import { Logger } from '@nestjs/common';
import { impoliteOutcomes } from '@app/testing/impolite';
import { JsonHttp } from '../src/json-http';

const timeoutMs = 1_500;
const api = { name: 'test', headers: {}, timeoutMs, breakerFailures: 100, breakerOpenMs: 1, repeatsMax: 0 };

beforeAll(() => Logger.overrideLogger(false));
afterAll(() => Logger.overrideLogger(true));

it.each(['GET', 'POST'] as const)('a provider, asked by %s', async (method) => {
  const found = await impoliteOutcomes({
    attempt: (url) => {
      const call = { name: 'x', method, path: '/x', repeatable: false, ...(method === 'POST' && { body: '{}' }) };
      return new JsonHttp({ ...api, url }).ask(call, ({ status }) => status);
    },
    limitMs: timeoutMs,
    byFetch: true,
  });
  expect(found).toMatchObject({ hanging: [], left: [] });
  for (const [kind, ended] of Object.entries(found.ended)) {
    // These may have answered the call.
    const mayAnswer = ['speaks before it is asked', 'sends more than it said'].includes(kind);
    expect(mayAnswer && ended === 200 ? 'away' : ended).toMatch(/away|wallet provider/);
  }
});
