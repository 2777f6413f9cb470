import { setTimeout as sleep } from 'node:timers/promises';
import { startServing, startWorking, type RunningProcess } from '@app/composition';
import { startEventStoreServer } from '@app/event-store-server';
import type { Probe } from '@app/runtime';
import { readConfiguration } from '@app/settings';
import { Client } from 'pg';
import { isReady, TestProcess } from '../processes/deployment-process';

const readyWithinMs = 120_000;
const askAgainMs = 25;

export type DeploymentMode = 'processes' | 'together' | 'in-process' | 'worker-apart' | 'api-apart';

/** An action that must be undone; the last one first. */
export type Undo = () => Promise<unknown>;

/** Starts the event store; returns null if it is not a process of its own, or runs already. */
export async function startEvents(
  options: { readonly mode: DeploymentMode; readonly weather?: string; readonly eventStoreUrl?: string },
  databaseUrl: string,
  url: string,
  undo: Undo[],
): Promise<TestProcess | null> {
  if (options.eventStoreUrl !== undefined) {
    await withoutEvents(databaseUrl);
    return null;
  }
  const weather = options.weather ?? process.env['WEATHER'];
  if (options.mode !== 'processes' && options.mode !== 'together') {
    const listen = { socketPath: url.slice('unix:'.length) };
    const server = await startEventStoreServer({ databaseUrl, listen, weatherSeed: weather });
    undo.push(() => server.close());
    return null;
  }
  const events = new TestProcess({
    app: 'event-store',
    env: {
      DATABASE_URL: databaseUrl,
      EVENT_STORE_LISTEN: url,
      ...(weather !== undefined && { EVENT_STORE_WEATHER: weather }),
    },
    ready: (output) => output.includes('event store ready'),
  });
  undo.push(() => events.stop());
  await events.start();
  return events;
}

/** Removes the tables of the product's own event store, as a database has none where the events are elsewhere. */
async function withoutEvents(databaseUrl: string): Promise<void> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query('DROP SCHEMA event_store CASCADE').finally(() => client.end());
}

/** The parts of a running deployment, without its event store. */
interface Parts {
  readonly apis: readonly TestProcess[];
  readonly workers: readonly TestProcess[];
  readonly running: readonly RunningProcess[];
}

/** Starts the replicas as the mode requires. */
export async function startParts(
  { mode, probe, degraded }: { readonly mode: DeploymentMode; readonly probe?: Probe; readonly degraded?: boolean },
  apiEnvs: readonly Record<string, string>[],
  workerEnvs: readonly Record<string, string>[],
  undo: Undo[],
): Promise<Parts> {
  if (mode === 'processes') return startProcesses(apiEnvs, workerEnvs, undo);
  if (mode === 'together') return startTogether(apiEnvs, undo, degraded ?? false);
  if (mode === 'api-apart') {
    const running = await startWorkersInProcess(workerEnvs, probe, undo);
    return { ...(await startProcesses(apiEnvs, [], undo)), running };
  }
  const worker = mode === 'in-process';
  const running = await startInProcess(apiEnvs, { api: true, worker }, probe, undo);
  return { ...(await startProcesses([], workerEnvs, undo)), running };
}

/** Starts the replicas in this process. */
async function startInProcess(
  envs: readonly NodeJS.ProcessEnv[],
  roles: { readonly api: boolean; readonly worker: boolean },
  probe: Probe | undefined,
  undo: Undo[],
): Promise<readonly RunningProcess[]> {
  const running: RunningProcess[] = [];
  for (const env of envs) {
    const started = await startServing(readConfiguration(env), roles, { ...(probe && { probe }) });
    undo.push(() => started.stop());
    running.push(started);
  }
  return running;
}

async function startWorkersInProcess(
  envs: readonly NodeJS.ProcessEnv[],
  probe: Probe | undefined,
  undo: Undo[],
): Promise<readonly RunningProcess[]> {
  const running: RunningProcess[] = [];
  for (const env of envs) {
    const started = await startWorking(readConfiguration(env), probe);
    undo.push(() => started.stop());
    running.push(started);
  }
  return running;
}

/** Starts the replicas as processes of the build. */
async function startProcesses(
  apiEnvs: readonly Record<string, string>[],
  workerEnvs: readonly Record<string, string>[],
  undo: Undo[],
): Promise<Parts> {
  const workers = workerEnvs.map((env) => new TestProcess({ app: 'worker', env, ready: () => hasMetrics(env) }));
  const apis = apiEnvs.map((env) => {
    return new TestProcess({ app: 'api', env, ready: () => isReady(`http://127.0.0.1:${env['PORT']}`) });
  });
  const all = [...workers, ...apis];
  undo.push(() => Promise.all(all.map((one) => one.stop())));
  await Promise.all(all.map((one) => one.start()));
  return { apis, workers, running: [] };
}

/** Starts the replicas as processes of the build that are api and worker in one, as `npm start` runs them. */
async function startTogether(envs: readonly Record<string, string>[], undo: Undo[], degraded: boolean): Promise<Parts> {
  const all = envs.map((env) => {
    const ready = () => isReady(`http://127.0.0.1:${env['PORT']}`, degraded);
    return new TestProcess({ app: 'standalone', env, ready });
  });
  undo.push(() => Promise.all(all.map((one) => one.stop())));
  await Promise.all(all.map((one) => one.start()));
  return { apis: all, workers: all, running: [] };
}

/** Waits until a replica is ready. @throws Error with its last answer when that takes too long */
export async function untilReady(baseUrl: string, degraded: boolean): Promise<void> {
  const deadline = performance.now() + readyWithinMs;
  while (!(await isReady(baseUrl, degraded))) {
    if (performance.now() > deadline) {
      const answer = await fetch(`${baseUrl}/readyz`).then((response) => response.text(), String);
      throw new Error(`${baseUrl} is not ready: ${answer}`);
    }
    await sleep(askAgainMs);
  }
}

async function hasMetrics(env: Record<string, string>): Promise<boolean> {
  // Refused until the worker has booted.
  return fetch(`http://127.0.0.1:${env['MANAGEMENT_PORT']}/metrics`).then(
    ({ ok }) => ok,
    () => false,
  );
}
