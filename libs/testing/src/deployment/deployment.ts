import { testSecretKey } from './secret-key';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { INestApplicationContext } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { openProduct, type RunningProcess } from '@app/composition';
import { causeOfService, Unavailable } from '@app/kernel';
import { MintPartnerKey } from '@app/partners';
import type { Probe } from '@app/runtime';
import { readConfiguration } from '@app/settings';
import { watchAnswers } from '../documents/answers';
import { requestJson, TestClient, untilBack } from '../client/deployment-client';
import type { TestProcess } from '../processes/deployment-process';
import { freePorts } from '../processes/free-ports';
import { createTestDatabase } from '../postgres/postgres';
import { until } from '../until/until';
import { madeDatabase } from './made-database';
import { startEvents, startParts, untilReady, type DeploymentMode, type Undo } from './replicas';

const admittedWithinMs = 120_000;
const askAgainMs = 25;
/** The longest lifetime that can be requested, because tests move the clock. */
const tokenLifeSeconds = 31_622_400;

export interface DeploymentOptions {
  /**
   * `processes`: api, worker and event store as separate processes of the build, which can be killed.
   * `together`: the same, with api and worker in one process, as `npm start` runs them.
   * `in-process`: everything in the jest process, api and worker in one; for tests that are fast and kill nothing.
   * `worker-apart`, `api-apart`: these as processes, which can be killed, and the remainder in the jest process.
   */
  readonly mode: DeploymentMode;
  /** Number of each; 1 and 1 by default. In-process and together, each `api` is a worker as well. */
  readonly replicas?: { readonly api?: number; readonly worker?: number };
  /** Overrides the deployment's own environment (sandbox mode, quiet, generous rate limits). */
  readonly env?: Readonly<Record<string, string>>;
  /** Address of an empty event store that runs already, such as a real EventStoreDB; by default the deployment starts its own. */
  readonly eventStoreUrl?: string;
  /** Seed of an event store's bad day; by default the environment's `WEATHER`, or a store without faults. */
  readonly weather?: string;
  /** Whether something optional may be unavailable at a start, so that `/readyz` reports `degraded`. */
  readonly degraded?: boolean;
  /** In-process only. */
  readonly probe?: Probe;
}

/** A whole deployment for a test, with a database and, unless it was given another one, an event store of its own. */
export interface Deployment {
  /** Address of each api replica. */
  readonly baseUrls: readonly string[];
  /** Ports on which each api and then each worker serves `GET /metrics`. */
  readonly managementPorts: readonly number[];
  readonly databaseUrl: string;
  readonly eventStoreUrl: string;
  /** A partner key, which may also read the feed. */
  readonly partnerKey: string;
  /** The processes; empty or null in modes without them. In mode `together` each is an api and a worker. */
  readonly apis: readonly TestProcess[];
  readonly workers: readonly TestProcess[];
  readonly eventStore: TestProcess | null;
  /** The applications in the jest process. */
  readonly running: readonly RunningProcess[];
  /** Creates an account, and returns its user at the first api replica. @param subject of its tokens, a random one by default */
  newUser(subject?: string): Promise<TestClient>;
  /** Calls the first replica under `/sandbox/v1`, such as `faults`; throws unless it answers 200. */
  sandbox<Body = Record<string, unknown>>(method: string, path: string, body?: object): Promise<Body>;
  /** Stops everything and removes the stores. */
  stop(): Promise<void>;
}

/** Deployments that were started here, or are starting, and are not stopped yet. */
const living = new Set<Promise<Deployment>>();

// A suite whose `beforeAll` timed out never receives its deployment, so it is stopped when the suite ends.
if (typeof afterAll === 'function') {
  afterAll(async () => {
    for (const starting of [...living]) await starting.then((deployment) => deployment.stop()).catch(() => undefined);
  });
}

/** Starts a deployment and waits until it is ready. If that fails, everything that was started is stopped again. */
export function startDeployment(options: DeploymentOptions): Promise<Deployment> {
  const undo: Undo[] = [];
  const stop = async (): Promise<void> => {
    for (let step = undo.pop(); step !== undefined; step = undo.pop()) await step();
    living.delete(starting);
  };
  const starting = assemble(options, undo).then(
    (parts) => ({ ...parts, stop }),
    async (error: unknown) => {
      await stop();
      throw error;
    },
  );
  living.add(starting);
  return starting;
}

async function assemble(options: DeploymentOptions, undo: Undo[]): Promise<Omit<Deployment, 'stop'>> {
  const database = await createTestDatabase(madeDatabase);
  undo.push(() => database.drop());
  const folder = await mkdtemp(join(tmpdir(), 'parley-test-'));
  undo.push(() => rm(folder, { recursive: true, force: true }));
  const eventStoreUrl = options.eventStoreUrl ?? `unix:${join(folder, 'events.sock')}`;
  const eventStore = await startEvents(options, database.url, eventStoreUrl, undo);

  const apiCount = options.replicas?.api ?? 1;
  const isInOne = options.mode === 'in-process' || options.mode === 'together';
  const workerCount = isInOne ? 0 : (options.replicas?.worker ?? 1);
  const ports = await freePorts(2 * apiCount + workerCount);
  const baseUrls = ports.slice(0, apiCount).map((port) => `http://127.0.0.1:${port}`);
  const shared = {
    PARLEY_MODE: 'sandbox',
    HOST: '127.0.0.1',
    DATABASE_URL: database.url,
    EVENTSTORE_URL: eventStoreUrl,
    PARLEY_DATA_DIR: join(folder, 'data'),
    PARLEY_SECRET_KEY: testSecretKey,
    OIDC_ISSUER: `${baseUrls[0]}/sandbox/issuer`,
    LOG_LEVEL: 'warn',
    RATE_LIMIT_KEY_PER_MINUTE: '1000000',
    RATE_LIMIT_USER_PER_MINUTE: '1000000',
    RATE_LIMIT_OPERATOR_PER_MINUTE: '1000000',
    KEY_FAILURES_PER_MINUTE: '1000000',
    REQUESTS_AT_ONCE: '1000000',
    ...options.env,
  };
  const envs = ports.slice(apiCount).map((port) => ({ ...shared, MANAGEMENT_PORT: String(port) }));
  const apiEnvs = baseUrls.map((_, index) => ({ ...shared, ...envs[index], PORT: String(ports[index]) }));
  // Separate processes need the key before they start. In this process a running replica mints it, which saves opening
  // another product.
  const isApart = options.mode === 'processes' || options.mode === 'together';
  const mintedApart = isApart ? await mintApart(shared) : null;
  const parts = await startParts(options, apiEnvs, envs.slice(apiCount), undo);
  for (const url of baseUrls) await untilReady(url, options.degraded ?? false);
  const unwatch = await watchAnswers(baseUrls);
  undo.push(async () => unwatch());
  const [baseUrl = ''] = baseUrls;
  const partnerKey = mintedApart ?? (await mintKey(parts.running[0]?.app));
  return {
    ...parts,
    baseUrls,
    managementPorts: ports.slice(apiCount),
    databaseUrl: database.url,
    eventStoreUrl,
    partnerKey,
    eventStore,
    newUser: (subject = `user-${randomUUID()}`) => newUser(baseUrl, partnerKey, subject),
    sandbox: (method, path, body) => callSandbox(method, `${baseUrl}/sandbox/v1/${path}`, body),
  };
}

/** Mints the deployment's partner key before any part of it runs, with a product opened for that. */
async function mintApart(env: NodeJS.ProcessEnv): Promise<string> {
  const product = await openProduct(readConfiguration(env));
  return mintKey(product).finally(() => product.close());
}

async function mintKey(product: INestApplicationContext | undefined): Promise<string> {
  if (product === undefined) throw new Error('no product runs that could mint a key');
  const cause = causeOfService('test', randomUUID());
  const mint = () =>
    product.get(CommandBus, { strict: false }).execute(new MintPartnerKey({ label: 'test', feed: true, cause }));
  // Retried on a bad day of the event store: a key that was minted but not returned does no harm.
  const whenAnswered = async () => {
    try {
      return await mint();
    } catch (error) {
      if (error instanceof Unavailable) return null;
      throw error;
    }
  };
  const minted = await until('a partner key', whenAnswered);
  if (!minted.ok) throw new Error(`no key was minted: ${JSON.stringify(minted.refusal)}`);
  return minted.value.key;
}

async function callSandbox<Body>(method: string, url: string, body?: object): Promise<Body> {
  const { status, body: answer } = await untilBack(() => requestJson<Body>(method, url, body));
  if (status !== 200) throw new Error(`${url} answered ${status}: ${JSON.stringify(answer)}`);
  return answer;
}

async function newUser(baseUrl: string, partnerKey: string, subject: string): Promise<TestClient> {
  const asked = { subject, expiresInSeconds: tokenLifeSeconds };
  const { accessToken } = await callSandbox<{ accessToken: string }>('POST', `${baseUrl}/sandbox/v1/tokens`, asked);
  const headers = { 'x-api-key': partnerKey, authorization: `Bearer ${accessToken}` };
  const deadline = performance.now() + admittedWithinMs;
  for (;;) {
    const ensured = await requestJson<{ userId: string }>('POST', `${baseUrl}/v1/users`, undefined, headers);
    if (ensured.status === 200) return new TestClient(baseUrl, partnerKey, accessToken, ensured.body.userId);
    // The key was minted before any projector ran; it is accepted as soon as the read models have it.
    if (performance.now() > deadline) throw new Error(`no account: ${JSON.stringify(ensured.body)}`);
    await sleep(askAgainMs);
  }
}
