/**
 * Every external dependency accepts connections and never answers: no caller waits longer than its setting, and an abort takes effect at
 * once.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from 's3rver';
import {
  conversationOf,
  eventsOf,
  expectProblem,
  journalTypes,
  raw,
  say,
  start,
  untilEnded,
} from '@app/testing/journeys';
import { LoopbackMcp } from '@app/testing/mcp';
import { LoopbackModels, type Scripted } from '@app/testing/models';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import type { TestClient } from '@app/testing/client';
import { SilentSocket } from '@app/testing/proxies';
import { until } from '@app/testing/until';

const WITHIN_MS = 180_000;
const bucket = 'parley-silent';
/** A limit that passes during a test, and one that no test outlasts. */
const shortMs = 700;
const longMs = 600_000;
/** The limit for models that do answer, on a busy machine. */
const modelMs = 8000;

let folder: string;
let s3: S3rver;
let models: LoopbackModels;
let mcp: LoopbackMcp;
/** The sockets to all of them, which can fall silent. */
let ways: Record<'s3' | 'models' | 'mcp' | 'near', SilentSocket>;
let traces: SilentSocket;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-silent-'));
  const options = { address: '127.0.0.1', port: 0, silent: true, directory: folder };
  s3 = new S3rver({ ...options, configureBuckets: [{ name: bucket, configs: [] }] });
  const { port } = await s3.run();
  models = await LoopbackModels.start('openai-compatible');
  mcp = await LoopbackMcp.start();
  mcp.tools = [{ name: 'look', annotations: { readOnlyHint: true } }];
  const before = async (target: number) => SilentSocket.before({ host: '127.0.0.1', port: target });
  ways = {
    s3: await before(port),
    models: await before(Number(new URL(models.baseUrl).port)),
    mcp: await before(Number(new URL(mcp.url).port)),
    near: await SilentSocket.start(),
  };
  traces = await SilentSocket.start();
}, WITHIN_MS);
afterAll(async () => {
  await Promise.all([...Object.values(ways), traces].map((way) => way.close()));
  await models.close();
  await mcp.stop();
  await s3.close();
  await rm(folder, { recursive: true, force: true });
});

/** A deployment in which every dependency is reached through its socket, with this limit for all of them. */
async function deploymentWith(limitMs: number): Promise<Deployment> {
  const limit = String(limitMs);
  const modelLimit = String(Math.max(limitMs, modelMs));
  const transport = { type: 'http', url: `${ways.mcp.url}/mcp` };
  const near = { NEAR_RPC_URL: ways.near.url, ONE_CLICK_URL: ways.near.url, SOLVER_RELAY_URL: ways.near.url };
  return startDeployment({
    mode: 'in-process',
    env: {
      ...models.environment(),
      ...near,
      LOG_LEVEL: 'silent',
      MODEL_BASE_URL: `${ways.models.url}/v1`,
      MODEL_RETRIES: '1',
      MODEL_TIMEOUT_MS: modelLimit,
      MODEL_FIRST_BYTE_TIMEOUT_MS: modelLimit,
      MODEL_IDLE_TIMEOUT_MS: modelLimit,
      MCP_SERVERS: JSON.stringify([{ name: 'docs', transport, consent: 'auto', timeoutMs: limitMs }]),
      ARTIFACT_STORE: 's3',
      S3_BUCKET: bucket,
      S3_ENDPOINT: ways.s3.url,
      S3_ACCESS_KEY_ID: 'S3RVER',
      S3_SECRET_ACCESS_KEY: 'S3RVER',
      S3_TIMEOUT_MS: limit,
      WALLET_PROVIDER: 'near-intents',
      PROVIDER_TIMEOUT_MS: limit,
      OTEL_EXPORTER_OTLP_ENDPOINT: traces.url,
    },
  });
}

let deployment: Deployment;
let user: TestClient;
let conversationId: string;
let artifactId: string;

async function begin(limitMs: number): Promise<void> {
  deployment = await deploymentWith(limitMs);
  user = await deployment.newUser();
}

/** Creates a conversation with a file in it, while all dependencies answer. */
async function beginConversation(): Promise<void> {
  conversationId = await conversationOf(user);
  const headers = { 'content-type': 'text/plain' };
  const path = `/conversations/${conversationId}/artifacts`;
  const uploaded = await raw(user, 'POST', `${path}?name=a.txt`, { body: 'It rained.', headers });
  expect(uploaded.status).toBe(201);
  artifactId = String(uploaded.body['id']);
  models.says([{ text: ['Well.'] }]);
}

function speakAgain(): void {
  for (const way of [ways.s3, ways.models, ways.mcp]) way.speak();
}

const away = { status: 503, body: { reason: 'internal', retryable: true } };

/** Makes a run whose model calls the tool, and returns the outcome and the result of the call. */
async function returned(call: { readonly tool: string; readonly input: Record<string, string> }) {
  models.says([{ calls: [call] }, { text: ['Well.'] }] satisfies Scripted[]);
  expect(await say(user, conversationId)).toMatchObject({ status: 'completed', response: { text: 'Well.' } });
  const [last] = (await eventsOf(user, conversationId, 'tool.returned')).slice(-1);
  return [last?.['outcome'], last?.['result']];
}

describe('with settings that end', () => {
  beforeAll(() => begin(shortMs), WITHIN_MS);
  beforeEach(beginConversation);
  afterEach(speakAgain);
  afterAll(() => deployment.stop(), WITHIN_MS);

  it(
    'S3: files are 503, and the tool says that they are away',
    async () => {
      ways.s3.fallSilent();
      const artifacts = `/conversations/${conversationId}/artifacts`;
      expect(await user.get(`${artifacts}/${artifactId}/content`)).toMatchObject(away);
      expect(await raw(user, 'POST', `${artifacts}?name=b.txt`, { body: 'x' })).toMatchObject(away);
      const read = await returned({ tool: 'artifact_read', input: { artifactId } });
      expect(read).toEqual(['error', { error: 'files are away now' }]);
    },
    WITHIN_MS,
  );

  it(
    'an MCP server: the tool says so',
    async () => {
      ways.mcp.fallSilent();
      const looked = await returned({ tool: 'docs_look', input: {} });
      // Away, if it was checked in between.
      const error = expect.stringMatching(`there was no answer within ${shortMs} ms|its server is away`) as unknown;
      expect(looked).toEqual(['error', { error }]);
    },
    WITHIN_MS,
  );

  it(
    'a model: the run fails, with its words',
    async () => {
      ways.models.fallSilent();
      expect(await say(user, conversationId)).toMatchObject({
        status: 'failed',
        failure: { reason: 'provider_error', text: expect.stringMatching(/in time/) as unknown },
      });
    },
    WITHIN_MS,
  );

  it(
    'the wallet provider: 503, and the tool fails',
    async () => {
      expect(await returned({ tool: 'token_price', input: { symbol: 'NEAR' } })).toEqual([
        'error',
        { error: 'the tool failed' },
      ]);
      await user.post('/wallet'); // the wallet exists from then on, connected or not
      expectProblem(await user.get('/wallet/withdrawals/sources'), 'provider_unavailable');
    },
    WITHIN_MS,
  );
});

describe('with settings that nobody outlasts', () => {
  beforeAll(() => begin(longMs), WITHIN_MS);
  beforeEach(beginConversation);
  afterEach(speakAgain);

  const calls: [string, keyof typeof ways, () => Scripted][] = [
    ['S3', 's3', () => ({ calls: [{ tool: 'artifact_read', input: { artifactId } }] })],
    ['an MCP server', 'mcp', () => ({ calls: [{ tool: 'docs_look', input: {} }] })],
    ['the wallet provider', 'near', () => ({ calls: [{ tool: 'token_price', input: { symbol: 'NEAR' } }] })],
    ['a model', 'models', () => ({ text: ['never said'] })],
  ];

  /** A run that waits for the silent dependency. */
  async function stuckOn(way: keyof typeof ways, scripted: Scripted): Promise<string> {
    models.says([scripted, { text: ['Well.'] }]);
    const before = ways[way].waiting;
    if (way !== 'near') ways[way].fallSilent();
    const { body } = await start(user, conversationId);
    await until('the call', () => Promise.resolve(ways[way].waiting > before ? true : null));
    return body.runId;
  }

  it.each(calls)(
    '%s: an abort ends the call at once',
    async (_, way, scripted) => {
      const runId = await stuckOn(way, scripted());
      expect((await user.post(`/agent-runs/${runId}/abort`)).body).toEqual({ aborted: true });
      expect(await untilEnded(user, runId)).toMatchObject({ status: 'aborted' });
      expect(await journalTypes(user, conversationId)).toContain('run.ended');
    },
    WITHIN_MS,
  );

  it(
    'all of them: the process stops',
    async () => {
      await stuckOn('s3', { calls: [{ tool: 'artifact_read', input: { artifactId } }] });
      for (const way of Object.values(ways)) way.fallSilent();
      await deployment.stop();
    },
    WITHIN_MS,
  );
});
