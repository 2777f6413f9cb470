import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CommandBus } from '@nestjs/cqrs';
import { PauseControl, ResumeControl } from '@app/deployment';
import { Configuration } from '@app/settings';
import {
  asking,
  bare,
  byOperator,
  conversationOf,
  newOwner,
  partOf,
  raw,
  sql,
  start,
  startLongRun,
  startStuckRun,
  untilEnded,
  untilStatus,
} from '@app/testing/journeys';
import type { Deployment } from '@app/testing/deployment';
import { operatorOf, type Answer, type TestClient } from '@app/testing/client';
import { until } from '@app/testing/until';

export type Problem = Answer<object>;

/** Limits low enough to be reached by a few requests. */
export const lowered = {
  inProcess: { EXECUTION_CAPACITY: '3', BUDGET_DAY_CENTS: '60', STREAMS_PER_USER: '1', AUTOMATIONS_PER_USER: '2' },
  processes: { RATE_LIMIT_USER_PER_MINUTE: '30' },
} as const;

/** Asks during a long run in a new conversation of each user, then stops the runs. */
export async function whileRunning(users: readonly TestClient[], ask: (conversationId: string) => Promise<Problem>) {
  const live: { user: TestClient; runId: string }[] = [];
  let conversationId = '';
  for (const user of users) {
    conversationId = await conversationOf(user);
    live.push({ user, runId: await startLongRun(user, conversationId) });
  }
  const answer = await ask(conversationId);
  for (const { user, runId } of live) {
    await user.post(`/agent-runs/${runId}/abort`);
    await untilEnded(user, runId);
  }
  return answer;
}

/** A run that waits for its user, in a conversation of its own. */
export async function waiting(deployment: Deployment) {
  const user = await newOwner(deployment);
  const conversationId = await conversationOf(user);
  return { user, conversationId, ...(await asking(user, conversationId, 'withdraw 1 USDC')) };
}

export async function whilePaused(
  deployment: Deployment,
  user: TestClient,
  ask: () => Promise<Problem>,
): Promise<Problem> {
  const control = { control: 'runs', ...byOperator(user) } as const;
  await partOf(deployment, CommandBus).execute(new PauseControl(control));
  const answer = await ask();
  await partOf(deployment, CommandBus).execute(new ResumeControl(control));
  return answer;
}

export async function tokenFor(deployment: Deployment, expiresInSeconds = 3600): Promise<string> {
  const asked = { subject: `someone-${randomUUID()}`, expiresInSeconds };
  return (await deployment.sandbox<{ accessToken: string }>('POST', 'tokens', asked)).accessToken;
}

/** `GET /v1/users/me` with these headers in place of the user's own. */
export async function me(user: TestClient, headers: Record<string, string>): Promise<Problem> {
  return bare('GET', user.url('/v1/users/me'), headers);
}

export async function earnStopPending(deployment: Deployment): Promise<Problem> {
  const { user, conversationId, approval } = await waiting(deployment);
  const { runId, free } = await startStuckRun(deployment, user, conversationId);
  const aborted = user.post(`/agent-runs/${runId}/abort`);
  await untilStatus(user, runId, 'stopping');
  const answer = await user.post(`/approvals/${approval.id}/deny`, {});
  await free();
  await aborted;
  await untilEnded(user, runId);
  return answer;
}

export async function earnEngineUnavailable(deployment: Deployment): Promise<Problem> {
  const user = await deployment.newUser();
  const conversationId = await conversationOf(user);
  const name = `'take_execution_slots'::regproc`;
  const [kept] = await sql<{ text: string }>(deployment, `SELECT pg_get_functiondef(${name}) AS text`);
  // PostgreSQL fails as if it were away, and only where slots are taken.
  const away = `CREATE OR REPLACE FUNCTION take_execution_slots(
         runs uuid[], segments integer[], run_ids uuid[], conversations uuid[], users uuid[],
         worker uuid, lease_ms integer, user_share integer, chosen_shard integer, shard_size integer)
    RETURNS TABLE (place bigint, outcome text) LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'away' USING ERRCODE = '57P03'; END $$`;
  await sql(deployment, away);
  const answer = await start(user, conversationId);
  await sql(deployment, kept?.text ?? '');
  return answer;
}

/** The bytes of a file are lost from the service's own folder. */
export async function earnLostBytes(deployment: Deployment): Promise<Problem> {
  const user = await deployment.newUser();
  const artifacts = `/conversations/${await conversationOf(user)}/artifacts`;
  const { body } = await raw(user, 'POST', `${artifacts}?name=lost.txt`, { body: randomUUID() });
  const stored = "SELECT content->>'sha256' AS sha256 FROM artifacts WHERE id = $1";
  const [{ sha256 = '' } = {}] = await sql<{ sha256?: string }>(deployment, stored, [body['id']]);
  const { PARLEY_DATA_DIR } = partOf(deployment, Configuration).env;
  await rm(join(PARLEY_DATA_DIR, 'artifacts', sha256.slice(0, 2), sha256));
  return user.get(`${artifacts}/${String(body['id'])}/content`);
}

/** A column of a read model has another name for a moment. */
export async function earnInternal(deployment: Deployment): Promise<Problem> {
  const user = await deployment.newUser();
  const artifacts = `/conversations/${await conversationOf(user)}/artifacts`;
  const { body } = await raw(user, 'POST', `${artifacts}?name=kept.txt`, { body: randomUUID() });
  const path = `${artifacts}/${String(body['id'])}`;
  await user.get(path);
  await sql(deployment, 'ALTER TABLE artifacts RENAME COLUMN media_type TO altered');
  try {
    return await user.get(path);
  } finally {
    await sql(deployment, 'ALTER TABLE artifacts RENAME COLUMN altered TO media_type');
  }
}

/** The only worker is killed; after 15 s the service knows of none. */
export async function earnExecutionUnavailable(deployment: Deployment): Promise<Problem> {
  const [worker] = deployment.workers;
  await worker?.kill('SIGKILL');
  const answer = await until(
    'the loss of the worker',
    async () => {
      // Runs accepted before the loss is noticed wait for the worker's return. Each is of another user, because this deployment's limits
      // are low.
      const user = await deployment.newUser();
      const asked = await start(user, await conversationOf(user));
      if (asked.status !== 202) return asked;
      await sleep(1_000);
      return null;
    },
    60_000,
  );
  await worker?.start();
  return answer;
}

export async function earnUnavailable(deployment: Deployment): Promise<Problem> {
  const user = await deployment.newUser();
  await deployment.eventStore?.kill('SIGKILL');
  const answer = await user.post('/conversations', {});
  await deployment.eventStore?.start();
  return answer;
}

export async function earnRateLimited(deployment: Deployment): Promise<Problem> {
  const user = await deployment.newUser();
  const limit = Number(lowered.processes.RATE_LIMIT_USER_PER_MINUTE);
  const answers = await Promise.all(Array.from({ length: limit + 1 }, () => user.get('/budget')));
  const refused = answers.find(({ status }) => status === 429);
  if (refused === undefined) throw new Error('no request was refused');
  return refused;
}

/** A row of a live table is altered by giveInput, and its read model is rebuilt. */
export async function earnDifferencesUnseen(deployment: Deployment): Promise<Problem> {
  const { userId } = await deployment.newUser();
  await sql(deployment, `UPDATE users SET subject = 'altered' WHERE user_id = $1`, [userId]);
  const operator = await operatorOf(deployment, ['projections']);
  const { body } = await operator.post<{ rebuildId: string }>('/projections/users/rebuild', { reason: 'a test' });
  const rebuild = `/rebuilds/${body.rebuildId}`;
  await until('the comparison', async () => ((await operator.get(rebuild)).body['state'] === 'ready' ? true : null));
  const refused = await operator.post(`${rebuild}/switch`, { reason: 'a test' });
  await operator.post(`${rebuild}/discard`, { reason: 'a test' });
  return refused;
}
