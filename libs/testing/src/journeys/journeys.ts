import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  asId,
  problemKinds,
  reasons,
  type Cause,
  type ProblemKind,
  type Reason,
  type UserId,
  withdrawalChanges,
  type WithdrawalChange,
} from '@app/kernel';
import { Database } from '@app/read-store';
import type { Deployment } from '../deployment';
import { type Answer, type Frame, requestJson, type TestClient } from '../client';
import { until } from '../until';

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const instantPattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
export const aUuid: unknown = expect.stringMatching(uuidPattern);
export const anInstant: unknown = expect.stringMatching(instantPattern);
export const missingId = '0190a000-0000-7000-8000-00000000dead';

/** A page of a list. */
export interface Listed<Item = Record<string, unknown>> {
  readonly data: readonly Item[];
  readonly nextCursor: string | null;
  readonly total?: number;
}

/** The body of a 202 of `runs.start`. */
export interface Started {
  readonly runId: string;
  readonly conversationId: string;
  readonly status: string;
  readonly seq: number;
}

/** Checks that the answer is exactly this problem: every member that the specification names, and no other. */
export function expectProblem(
  answer: Answer<object>,
  problem: Reason | ProblemKind,
  more: { readonly retryable?: boolean; readonly at?: readonly string[]; readonly change?: WithdrawalChange } = {},
): void {
  const row = problem in reasons ? reasons[problem as Reason] : null; // reason for the assertion: just checked
  const kind = row?.kind ?? (problem as ProblemKind); // reason for the assertion: it is one of the two
  const status = row?.status ?? problemKinds[kind].status;
  const { requestId, issues, detail, change, ...rest } = answer.body as Answer['body']; // reason for the assertion: a problem's members
  expect({ ...rest, contentType: answer.headers.get('content-type') }).toEqual({
    type: `urn:parley:error:${kind}`,
    title: row?.title ?? problemKinds[kind].title,
    status,
    ...(row === null ? {} : { reason: problem }),
    retryable: more.retryable ?? row?.retryable ?? false,
    contentType: 'application/problem+json',
  });
  expect([answer.status, requestId]).toEqual([status, answer.headers.get('x-request-id')]);
  expect(changesOf(problem, more.change)).toContain(change);
  if (problem !== 'invalid_input') return expect([issues, detail]).toEqual([undefined, undefined]);
  expect(detail).toEqual(expect.any(String));
  if (more.at !== undefined) expect((issues as { path: string }[]).map(({ path }) => path)).toEqual(more.at);
}

/** Returns the changes that a problem may ask of its caller. */
function changesOf(problem: Reason | ProblemKind, change: WithdrawalChange | undefined): readonly unknown[] {
  if (change !== undefined) return [change];
  return problem === 'withdrawal_changed' ? Object.keys(withdrawalChanges) : [undefined];
}

/** Creates a conversation; returns its id. */
export async function conversationOf(user: TestClient, title?: string): Promise<string> {
  const { status, body } = await user.post('/conversations', title === undefined ? {} : { title });
  expect(status).toBe(201);
  return String(body['id']);
}

/** Requests a run; `more` are further members of the body. */
export async function start(
  user: TestClient,
  conversationId: string,
  text = 'repeat after me: done',
  more: object = {},
): Promise<Answer<Started>> {
  return user.post<Started>('/agent-runs', { conversationId, input: { text }, ...more });
}

/** Starts a run that streams text for half a minute, unless it is aborted. */
export async function startLongRun(user: TestClient, conversationId: string, more: object = {}): Promise<string> {
  const { status, body } = await start(user, conversationId, `repeat after me: ${'word '.repeat(750)}`, more);
  expect(status).toBe(202);
  return body.runId;
}

/** Waits until the run's `status` is one of these; returns it as `runs.get` answers it. */
export async function untilStatus(user: TestClient, runId: string, ...statuses: string[]): Promise<Answer['body']> {
  let status = '';
  const look = async () => {
    const { body } = await user.get(`/agent-runs/${runId}`);
    status = String(body['status']);
    return statuses.includes(status) ? body : null;
  };
  return until(() => `a run that is ${statuses.join(' or ')}, and not ${status},`, look);
}

/** Waits until the run has ended. */
export async function untilEnded(user: TestClient, runId: string): Promise<Answer['body']> {
  return untilStatus(user, runId, 'completed', 'failed', 'aborted');
}

/** Runs a text to its end in a conversation. */
export async function say(user: TestClient, conversationId: string, text?: string, more?: object) {
  const started = await start(user, conversationId, text, more);
  if (started.status !== 202) throw new Error(JSON.stringify(started.body));
  return untilEnded(user, started.body.runId);
}

/** Returns the whole journal of a conversation. */
export async function journal(user: TestClient, conversationId: string): Promise<Frame['data'][]> {
  const { body } = await user.get<Listed<Frame['data']>>(`/conversations/${conversationId}/events?limit=1000`);
  expect(body.nextCursor).toBeNull();
  return [...body.data];
}

/** Returns the types of a conversation's events, in order. */
export async function journalTypes(user: TestClient, conversationId: string): Promise<string[]> {
  return (await journal(user, conversationId)).map(({ payload }) => String(payload['type']));
}

/** Returns all pages of a list and their items (at most 100 pages). */
export async function allPages(user: TestClient, path: string): Promise<{ pages: Listed[]; items: Answer['body'][] }> {
  const pages: Listed[] = [];
  for (let cursor: string | null = ''; cursor !== null && pages.length < 100;) {
    const separator = path.includes('?') ? '&' : '?';
    const { status, body }: Answer<Listed> = await user.get<Listed>(
      cursor === '' ? path : `${path}${separator}cursor=${cursor}`,
    );
    expect(status).toBe(200);
    pages.push(body);
    cursor = body.nextCursor;
  }
  return { pages, items: pages.flatMap(({ data }) => data) };
}

/** Sends a request of the user with other headers than usual, or a body that is not JSON. */
export async function raw(user: TestClient, method: string, path: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(user.url(path), {
    ...init,
    method,
    headers: { ...user.headers, ...(init.headers as Record<string, string>) }, // reason for the assertion: tests give objects
  });
  const text = await response.text();
  const body = (text === '' ? {} : JSON.parse(text)) as Answer['body']; // reason for the assertion: tests check members
  return { status: response.status, headers: response.headers, body };
}

/** Sends a request with no other credentials than these headers. */
export async function bare(method: string, url: string, headers: Record<string, string> = {}, body?: object) {
  return requestJson(method, url, body, headers);
}

/** Returns a class of the product, for actions that no call of the API offers; in-process deployments only. */
export function partOf<Value>(
  deployment: Deployment,
  token: NewableFunction & { prototype: Value },
  replica = 0,
): Value {
  const process = deployment.running[replica];
  if (process === undefined) throw new Error('the deployment is not in-process');
  return process.app.get<Value>(token, { strict: false });
}

/** Runs one statement on the deployment's database. */
export async function sql<Row>(deployment: Deployment, text: string, parameters: unknown[] = []): Promise<Row[]> {
  return partOf(deployment, Database).query<Row>(text, parameters);
}

/** Returns the members that an operator's change needs. */
export function byOperator(user: TestClient): { userId: UserId; reason: string; cause: Cause } {
  const id = randomUUID();
  const actor = { kind: 'service', id: 'test' } as const;
  const cause = { actor, requestId: asId<Cause['requestId']>(id), correlationId: id, causationId: id };
  return { userId: asId<UserId>(user.userId), reason: 'test', cause };
}

/** Returns the number of events in the deployment's store, which a refused request must not change. */
export async function eventCount(deployment: Deployment): Promise<number> {
  const [row] = await sql<{ count: number }>(
    deployment,
    // Checkpoints are recorded at a time of their own.
    `SELECT count(*)::integer AS count FROM event_store.events WHERE stream <> 'audit-checkpoints'`,
  );
  return row?.count ?? 0;
}

/** Resolves once nothing has been recorded for a while, because the end of a run is booked right after it. */
export async function quiet(deployment: Deployment): Promise<void> {
  for (let before = -1, now = await eventCount(deployment); before !== now;) {
    before = now;
    await sleep(200);
    now = await eventCount(deployment);
  }
}

/**
 * Resolves once everything in flight is over, however slow it is. If several replicas run in this process, call it
 * before the first of them stops: the store's client keeps the appends of all of them in one place, and drops them when
 * the first one ends.
 */
export async function atRest(deployment: Deployment): Promise<void> {
  await quiet(deployment);
  await until('the end of all runs', async () => {
    const live = await sql(deployment, `SELECT 1 FROM runs WHERE status IN ('queued', 'running', 'stopping')`);
    return live.length === 0 ? true : null;
  });
  await quiet(deployment);
}
