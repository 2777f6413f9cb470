import { verifyReceiptText } from '@app/receipts';
import type { OperatorClient, TestClient } from '../client';
import type { Deployment } from '../deployment';
import {
  approve,
  asking,
  conversationOf,
  defined,
  newOwner,
  outcomeOf,
  prepare,
  raw,
  say,
  sql,
  startLongRun,
  untilEnded,
  usdc,
  type Prepared,
} from '../journeys';
import { until } from '../until';
import { parseVerifierKey, type TrustPolicy } from '@app/transparency';

export const reason = 'the person asked for it';

/** The answer of `users.erasure`. */
export interface ErasureBody extends Record<string, unknown> {
  readonly status: string;
  readonly requestedAt: string;
  readonly keysDestroyedAt: string | null;
  readonly purgedAt: string | null;
  readonly completedAt: string | null;
  readonly operationsInFlight: number;
  readonly closedEvents: number | null;
  readonly wordsLeft: { readonly events: number; readonly streams: readonly string[] } | null;
}

/** A person with something of each kind, whose every word contains the mark. */
export interface Person {
  readonly user: TestClient;
  readonly mark: string;
  /** A conversation with a run that has ended, one with a run that goes on, and one whose run waits. */
  readonly conversations: readonly string[];
  readonly liveRunId: string;
  /** A file in the first conversation; every person has the same bytes. */
  readonly artifactId: string;
  readonly automationId: string;
  readonly prepared: Prepared;
  /** The approval of a withdrawal that is settled, and its receipt. */
  readonly settled: { readonly approvalId: string; readonly receipt: string };
}

/** Makes a person who talks, has a live run, an approval that is pending, an automation, and money that has moved. */
export async function newPerson(deployment: Deployment, mark: string): Promise<Person> {
  const user = await newOwner(deployment);
  const [said, live, waiting, moved] = [
    await conversationOf(user, `${mark} talk`),
    await conversationOf(user, `${mark} work`),
    await conversationOf(user, `${mark} wish`),
    await conversationOf(user, `${mark} money`),
  ];
  await say(user, said, `repeat after me: ${mark}`);
  const artifactId = await upload(user, said, `${mark}.txt`);
  const { approval, runId } = await asking(user, moved, 'withdraw 0.5 USDC');
  await approve(user, approval);
  await untilEnded(user, runId);
  await outcomeOf(user, approval.id);
  const { id: automationId } = await defined(user, { name: `${mark} rule`, prompt: `repeat after me: ${mark}` });
  const prepared = await prepare(user, usdc, '1000');
  const receipt = await receiptOf(user, approval.id);
  await asking(user, waiting, 'withdraw 0.25 USDC');
  const liveRunId = await startLongRun(user, live);
  return {
    user,
    mark,
    conversations: [said, live, waiting, moved],
    liveRunId,
    artifactId,
    automationId,
    prepared,
    settled: { approvalId: approval.id, receipt },
  };
}

export const fileOfAll = 'the same bytes for everybody';

async function upload(user: TestClient, conversationId: string, name: string): Promise<string> {
  const path = `/conversations/${conversationId}/artifacts?name=${name}`;
  const headers = { 'content-type': 'text/plain' };
  const { status, body } = await raw(user, 'POST', path, { body: fileOfAll, headers });
  expect(status).toBe(201);
  return String(body['id']);
}

async function receiptOf(user: TestClient, approvalId: string): Promise<string> {
  return until('a complete receipt', async () => {
    const { body } = await user.get<{ proof: { complete: boolean } | null }>(`/approvals/${approvalId}/receipt`);
    return body.proof?.complete === true ? JSON.stringify(body) : null;
  });
}

/** Asks for the erasure. */
export async function erase(operator: OperatorClient, { userId }: TestClient): Promise<void> {
  const { status } = await operator.post(`/users/${userId}/erase`, { reason });
  expect(status).toBe(200);
}

export async function erasureOf(operator: OperatorClient, { userId }: TestClient): Promise<ErasureBody> {
  const { status, body } = await operator.get<ErasureBody>(`/users/${userId}/erase`);
  expect(status).toBe(200);
  return body;
}

/** Waits until the erasure has one of these statuses; returns it. */
export async function untilErasure(
  operator: OperatorClient,
  user: TestClient,
  ...statuses: string[]
): Promise<ErasureBody> {
  let last = '';
  return until(
    () => `an erasure that is ${statuses.join(' or ')}, and not ${last},`,
    async () => {
      const found = await erasureOf(operator, user);
      last = JSON.stringify(found);
      return statuses.includes(found.status) ? found : null;
    },
  );
}

/** The trust of an auditor who has the deployment's own key. */
export async function trusted({ baseUrls: [baseUrl = ''] }: Deployment): Promise<TrustPolicy> {
  const keys = await (await fetch(`${baseUrl}/transparency/key`)).text();
  const log = keys
    .trim()
    .split('\n')
    .flatMap((text) => parseVerifierKey(text) ?? []);
  return { log, witnesses: [], needed: 0 };
}

/** Returns everything that is wrong after the erasure of a person, in words. */
export async function remainsOf(deployment: Deployment, { user, mark, settled }: Person): Promise<string[]> {
  const trust = await trusted(deployment);
  const { holds, problems } = verifyReceiptText(settled.receipt, trust);
  const wrapped = await sql(deployment, 'SELECT key_id FROM sealing_keys WHERE user_id = $1 AND wrapped IS NOT NULL', [
    user.userId,
  ]);
  const tables = await sql<{ name: string }>(
    deployment,
    `SELECT table_schema || '.' || table_name AS name FROM information_schema.tables
     WHERE table_type = 'BASE TABLE' AND table_schema IN ('public', 'event_store')`,
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const [row] = await sql<{ count: number }>(
      deployment,
      `SELECT count(*)::int AS count FROM ${name} AS t WHERE position($1 in t::text) > 0 OR position($2 in t::text) > 0`,
      [mark, Buffer.from(mark).toString('hex')],
    );
    if ((row?.count ?? 0) > 0) found.push(`${name} has ${row?.count} rows with words`);
  }
  return [
    ...found,
    ...(holds ? [] : [`the receipt does not hold: ${JSON.stringify(problems)}`]),
    ...(wrapped.length === 0 ? [] : [`${wrapped.length} keys are left`]),
  ];
}
