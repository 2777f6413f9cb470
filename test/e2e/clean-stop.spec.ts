/** A process that is asked to stop in the middle of a run gives its lease back at once, while it still serves its last requests. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { startServing, startWorking, type RunningProcess } from '@app/composition';
import { Processes } from '@app/read-store';
import { Configuration } from '@app/runtime';
import { startDeployment, type Deployment } from '../support/deployment';
import type { TestClient } from '../support/deployment-client';
import { freePorts } from '../support/deployment-process';
import { until } from '../support/until';
import { conversationOf, journal, partOf, sql, start } from './journeys';

const WITHIN_MS = 180_000;
/** Far beyond this suite: only what is given back before the drain is over can be taken up. */
const DRAIN_SECONDS = '600';
const STEP_MS = 5_000;
const runsMax = 12;

let deployment: Deployment;
let user: TestClient;
beforeAll(async () => {
  deployment = await startDeployment({
    mode: 'in-process',
    env: { DRAIN_SECONDS, CONNECTION_QUIET_SECONDS: DRAIN_SECONDS, LOG_LEVEL: 'silent' },
  });
  // A lease that nobody gives back outlasts every wait of this suite.
  await sql(
    deployment,
    `CREATE FUNCTION last_longer() RETURNS trigger LANGUAGE plpgsql AS $$
     BEGIN
       IF NEW.expires_at > now() + interval '2 s' THEN NEW.expires_at := now() + interval '10 minutes'; END IF;
       RETURN NEW;
     END $$`,
  );
  await sql(
    deployment,
    'CREATE TRIGGER last_longer BEFORE INSERT OR UPDATE ON run_leases FOR EACH ROW EXECUTE FUNCTION last_longer()',
  );
  await deployment.sandbox('PUT', 'faults', { model: { delayMs: STEP_MS } });
  user = await deployment.newUser();
}, WITHIN_MS);
afterAll(() => deployment.stop(), WITHIN_MS);

/** The configuration of another process of the deployment. */
async function another(): Promise<Configuration> {
  const [port = 0, managementPort = 0] = await freePorts(2);
  const { env } = partOf(deployment, Configuration);
  return new Configuration({ ...env, PORT: port, MANAGEMENT_PORT: managementPort });
}

const idOf = ({ app }: RunningProcess): string => app.get(Processes, { strict: false }).id;

/** A run that this process has the lease of; either may be the first to claim one. */
async function runHeldBy(workerId: string): Promise<{ readonly conversationId: string; readonly runId: string }> {
  for (let n = 0; n < runsMax; n += 1) {
    const conversationId = await conversationOf(user);
    const { body } = await start(user, conversationId, 'repeat after me: one two three');
    const { runId } = body;
    await untilEvents(conversationId, 'run.claimed', 1);
    const held = 'SELECT worker_id FROM run_leases JOIN runs USING (run_key) WHERE id = $1 AND expires_at > now()';
    const [lease] = await sql<{ worker_id: string }>(deployment, held, [runId]);
    if (lease?.worker_id === workerId) return { conversationId, runId };
  }
  throw new Error(`${workerId} claims no runs`);
}

async function untilEvents(conversationId: string, type: string, count: number): Promise<void> {
  await until(`${type} number ${count}`, async () => {
    const events = await journal(user, conversationId);
    return events.filter(({ payload }) => payload['type'] === type).length >= count ? true : null;
  });
}

/** Taken up once, and completed with every step once. */
async function untilEndedOnce(conversationId: string): Promise<void> {
  await untilEvents(conversationId, 'run.ended', 1);
  const events = await journal(user, conversationId);
  const count = (type: string) => events.filter(({ payload }) => payload['type'] === type).length;
  expect(['agent.step', 'run.claimed', 'run.ended'].map(count)).toEqual([1, 2, 1]);
}

it(
  'so that another takes it up, and completes it with every step once',
  async () => {
    const configuration = await another();
    const { PORT: port } = configuration.env;
    const running = await startServing(configuration, { api: true, worker: true });
    const { conversationId } = await runHeldBy(idOf(running));
    // A request that does not become whole keeps the process draining.
    const request = connect(port, '127.0.0.1');
    await once(request, 'connect');
    const { authorization = '', 'x-api-key': key = '' } = user.headers;
    const head = `POST /v1/users/${user.userId}/conversations HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${key}\r\nAuthorization: ${authorization}`;
    request.write(`${head}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`);

    const askedAtMs = performance.now();

    const stopped = running.stop();
    await untilEvents(conversationId, 'run.claimed', 2);
    process.stdout.write(
      `a stopping process's run is taken up after ${Math.round(performance.now() - askedAtMs)} ms\n`,
    );

    request.destroy();
    await stopped;

    await untilEndedOnce(conversationId);
  },
  WITHIN_MS,
);

it(
  'also where the process is a worker and nothing else',
  async () => {
    const running = await startWorking(await another());
    const { conversationId } = await runHeldBy(idOf(running));
    await running.stop();
    await untilEndedOnce(conversationId);
  },
  WITHIN_MS,
);
