import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import type { TestClient } from '@app/testing/client';
import { eventCount, quiet } from '@app/testing/journeys';
import type { Ids, OperationCall } from './operation-call';
import { pathOf } from './operations';
import { thingsOf } from './things';

/** Malformed requests per kind of damage; FUZZ_ROUNDS changes the count. */
export const rounds = Number(process.env['FUZZ_ROUNDS'] ?? 40);
const answerWithinMs = 60_000;

/** A request that is wrong in some part; the parts left out are correct. */
export interface Damaged {
  readonly operation: OperationCall;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
}

let deployment: Deployment;
let user: TestClient;
let ids: Ids;
let before: number;

/** Starts a deployment for a file of specs, and checks after each of them that no event was recorded. */
export function underFire(): void {
  beforeAll(async () => {
    deployment = await startDeployment({ mode: 'in-process' });
    user = await deployment.newUser();
    ids = await thingsOf(user);
    await quiet(deployment);
    before = await eventCount(deployment);
  });
  afterAll(() => deployment.stop());
  afterEach(async () => {
    await quiet(deployment);
    expect(await eventCount(deployment)).toBe(before);
  });
}

/** The user who sends the malformed requests. */
export function caller(): TestClient {
  return user;
}

/** Expects every request with this damage to be answered with a problem that blames the client. */
export async function holds(damage: fc.Arbitrary<Damaged>): Promise<void> {
  await fc.assert(fc.asyncProperty(damage, send), { numRuns: rounds, endOnFailure: true });
}

async function send({ operation, path, headers, body }: Damaged): Promise<void> {
  const sent = operation.method === 'GET' ? undefined : body;
  const response = await fetch(user.baseUrl + (path ?? pathOf(operation, ids)), {
    method: operation.method,
    headers: { ...user.headers, ...(sent === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    signal: AbortSignal.timeout(answerWithinMs),
    ...(sent === undefined ? {} : { body: sent }),
  });
  const type = response.headers.get('content-type');
  if (response.status < 400) await response.body?.cancel();
  expect([response.status, type]).toEqual([expect.any(Number), 'application/problem+json']);
  expect(response.status).toBeGreaterThanOrEqual(400);
  expect(response.status).toBeLessThan(500);
  // Reason for the assertion: a problem, whose members are checked below.
  const problem = (await response.json()) as { status: number; issues?: { path: string }[] };
  expect(problem.status).toBe(response.status);
  for (const { path: pointer } of problem.issues ?? []) expect(pointer).toMatch(/^(\/|$)/);
}

/** A well-formed body of the operation, with a run of its own so that no replay is answered. */
export function bodyOf(operation: OperationCall): Record<string, unknown> {
  const body = operation.body?.({ ...ids, runId: randomUUID() }) ?? {};
  return JSON.parse(JSON.stringify(body)) as Record<string, unknown>; // reason for the assertion: an object went in
}

/** The operation's path, with another id in place of its last one. */
export function pathWithId(operation: OperationCall, id: string): string {
  return operation.path.replace(':userId', ids.userId).replace(/:\w+Id/, id);
}

/** The operation's correct path. */
export function pathTo(operation: OperationCall): string {
  return pathOf(operation, ids);
}

/** One of these operations. */
export const one = (some: readonly OperationCall[]) => fc.constantFrom(...some);
export const anyText = fc.string({ unit: 'binary', maxLength: 40 });

/** Percent-encodes a text; a lone surrogate in it becomes U+FFFD. */
export function encodeWhole(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString());
}
