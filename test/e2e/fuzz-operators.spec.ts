/** Whatever is sent to the operator API is answered below 500, and says where it is wrong; nothing wrong is recorded but in the log. */
import fc from 'fast-check';
import { EventStore } from '@app/event-store';
import { operatorScopes } from '@app/http';
import { isJsonObject } from '@app/kernel';
import { operatorOf, type OperatorClient } from '@app/testing/client';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import { eventCount, missingId, partOf, quiet } from '@app/testing/journeys';
import { operatorContracts } from './operations';

const rounds = Number(process.env['FUZZ_ROUNDS'] ?? 40);

let deployment: Deployment;
let operator: OperatorClient;
let before: number;
beforeAll(async () => {
  deployment = await startDeployment({ mode: 'in-process', env: { LOG_LEVEL: 'silent' } });
  operator = await operatorOf(deployment, operatorScopes);
  await quiet(deployment);
  before = await unloggedEvents();
});
afterAll(() => deployment.stop());
afterEach(async () => expect(await unloggedEvents()).toBe(before));

async function unloggedEvents(): Promise<number> {
  const logged = (await partOf(deployment, EventStore).lastRevision('operator-log')) + 1;
  return (await eventCount(deployment)) - logged;
}

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
}

async function send({ method, path, body }: Sent): Promise<void> {
  const response = await fetch(operator.baseUrl + path, {
    method,
    headers: {
      authorization: `Bearer ${operator.token}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body }),
  });
  const answer: unknown = await response.json();
  expect([response.status, answer]).toEqual([expect.any(Number), answer]);
  expect(response.status).toBeLessThan(500);
  const issues = isJsonObject(answer) ? answer['issues'] : undefined;
  expect(Array.isArray(issues)).toBe(
    response.status === 400 && isJsonObject(answer) && answer['reason'] === 'invalid_input',
  );
}

const anyText = fc.string({ unit: 'binary', maxLength: 60 });
const encoded = anyText.map((text) => encodeURIComponent(Buffer.from(text).toString()));
/** Nothing is there that a change could be made of. */
const pathOf = (path: string) => path.replace(/:\w+/g, missingId);

const [reads, changes] = [true, false].map((isRead) =>
  operatorContracts.filter(({ method }) => (method === 'GET') === isRead),
);

it('with any query', async () => {
  const names = fc.constantFrom('q', 'state', 'limit', 'cursor', 'other');
  const query = fc.array(fc.tuple(names, encoded), { maxLength: 4 });
  const sent = fc.tuple(fc.constantFrom(...(reads ?? [])), query).map(([{ method, path }, pairs]) => ({
    method,
    path: `${pathOf(path)}?${pairs.map(([name, value]) => `${name}=${value}`).join('&')}`,
  }));
  await fc.assert(fc.asyncProperty(sent, send), { numRuns: rounds * 3 });
});

it('with any name in the path', async () => {
  const sent = fc.tuple(fc.constantFrom(...operatorContracts), encoded).map(([{ method, path }, text]) => ({
    method,
    path: path.replace(/:\w+/g, text),
    ...(method !== 'GET' && { body: '{"reason":"a test","label":""}' }),
  }));
  const named = sent.filter(({ path }) => !path.endsWith('/partner-keys'));
  await fc.assert(fc.asyncProperty(named, send), { numRuns: rounds * 3 });
});

it('with any body, and any members in it', async () => {
  const member = fc.oneof(fc.constantFrom('reason', 'label', 'dayCents', 'monthCents'), fc.string());
  const value = fc.oneof(fc.jsonValue(), fc.string({ maxLength: 600 }), fc.double());
  const members = fc.dictionary(member, value, { maxKeys: 5 }).map((body) => JSON.stringify(body));
  const bodies = fc.oneof(members, fc.json(), anyText);
  const unmade = (changes ?? []).filter(
    ({ operation }) => !operation.startsWith('controls.') && operation !== 'keys.mint',
  );
  const sent = fc
    .tuple(fc.constantFrom(...unmade), bodies)
    .map(([{ method, path }, body]) => ({ method, path: pathOf(path), body }));
  await fc.assert(fc.asyncProperty(sent, send), { numRuns: rounds * 3 });
});
