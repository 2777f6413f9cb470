import { randomUUID } from 'node:crypto';
import type { RunningProcess } from '@app/composition';
import { Processes } from '@app/read-store';
import { workChannel } from '@app/runs';
import { Configuration } from '@app/settings';
import { v5 as uuidV5 } from 'uuid';
import type { Deployment } from '../deployment';
import type { TestClient } from '../client';
import { freePorts } from '../processes';
import { until } from '../until';
import { freeLease, holdFirstSegment } from './held-segments';
import { conversationOf, journal, partOf, sql, start } from './journeys';

const runsMax = 12;

/** Returns the configuration of another process of a deployment that runs in this process. */
export async function another(deployment: Deployment): Promise<Configuration> {
  const [port = 0, managementPort = 0] = await freePorts(2);
  const { env } = partOf(deployment, Configuration);
  return new Configuration({ ...env, PORT: port, MANAGEMENT_PORT: managementPort });
}

/**
 * Starts a run whose lease the given process gets. Normally the process that starts a run also takes it; here the run
 * is held until all workers are notified. Then any of them may be the first to claim it, so this is repeated until the
 * given one does.
 */
export async function runHeldBy({ app }: RunningProcess, deployment: Deployment, user: TestClient) {
  const { id: workerId } = app.get(Processes, { strict: false });
  for (let n = 0; n < runsMax; n += 1) {
    const conversationId = await conversationOf(user);
    const runId = randomUUID();
    const runKey = uuidV5(runId, user.userId);
    await holdFirstSegment(deployment, user, { conversationId, runId });
    await start(user, conversationId, 'repeat after me: one two three', { runId });
    await freeLease(deployment, runKey);
    await sql(deployment, 'SELECT pg_notify($1, $2)', [workChannel, '']);
    await untilEvents(user, conversationId, 'run.claimed', 1);
    const held = 'SELECT worker_id FROM execution_slots WHERE run_id = $1 AND expires_at > now()';
    const [lease] = await sql<{ worker_id: string }>(deployment, held, [runId]);
    if (lease?.worker_id === workerId) return { conversationId, runId };
  }
  throw new Error(`${workerId} claims no runs`);
}

/** Waits until the conversation has that many events of the type. */
export async function untilEvents(user: TestClient, conversationId: string, type: string, count: number) {
  await until(`${type} number ${count}`, async () => {
    const events = await journal(user, conversationId);
    return events.filter(({ payload }) => payload['type'] === type).length >= count ? true : null;
  });
}
