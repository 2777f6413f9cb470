import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Deployment } from '@app/testing/deployment';
import { requestJson, TestClient } from '@app/testing/client';
import { freePorts } from '@app/testing/processes';
import { until } from '@app/testing/until';
import { startRecordingProxy } from './recording-proxy';

const examples = path.join(__dirname, '..', '..', 'examples');
const child = path.join(__dirname, '..', '..', 'libs', 'testing', 'src', 'processes', 'child.cjs');
const readyWithinMs = 90_000; // as for a process of the product on a crowded machine
const outputLengthMax = 100_000;

/** One of the examples as a real process between a browser and a deployment. All traffic in both directions is recorded. */
export interface Example {
  /** The origin for the browser. */
  readonly origin: string;
  /** All bytes of the answers to browsers. */
  answeredToBrowsers(): string;
  /** All secrets that it has sent to Parley: the partner's key and the users' tokens. */
  secrets(): readonly string[];
  /** Breaks every connection to a browser that carried one of these requests; returns their number. */
  cut(...requests: readonly string[]): number;
  /** The number of streams that it currently reads from Parley. */
  openStreams(): number;
  kill(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** The user who signs in under this name, as the API sees them. */
  userNamed(name: string): Promise<TestClient>;
}

export async function startExample(
  deployment: Deployment,
  name: 'partner-backend' | 'chat' = 'partner-backend',
): Promise<Example> {
  const [baseUrl = ''] = deployment.baseUrls;
  const [port = 0, publicPort = 0] = await freePorts(2);
  const towardsParley = await startRecordingProxy(Number(new URL(baseUrl).port));
  const towardsBrowsers = await startRecordingProxy(port, publicPort);
  const origin = `http://127.0.0.1:${publicPort}`;
  const folder = path.join(examples, name);
  if (name === 'chat') await promisify(execFile)(process.execPath, ['build.js'], { cwd: folder });
  const program = new ExampleProcess(folder, {
    PARLEY_BASE_URL: `http://127.0.0.1:${towardsParley.port}`,
    PARLEY_PARTNER_KEY: deployment.partnerKey,
    PORT: String(port),
    PUBLIC_ORIGIN: origin,
  });
  await program.start();
  return {
    origin,
    answeredToBrowsers: () => towardsBrowsers.answered(),
    secrets: () => [deployment.partnerKey, ...tokensIn(towardsParley.sent())],
    cut: (...requests) => towardsBrowsers.cut(...requests),
    openStreams: () => towardsParley.openWith('/stream HTTP/1.1'),
    kill: () => program.end('SIGKILL'),
    start: () => program.start(),
    async stop() {
      await program.end('SIGTERM');
      await Promise.all([towardsBrowsers.close(), towardsParley.close()]);
    },
    userNamed: (name) => userNamed(baseUrl, deployment.partnerKey, name),
  };
}

function tokensIn(sent: string): string[] {
  return [...new Set([...sent.matchAll(/^authorization: Bearer (\S+)/gim)].map(([, token = '']) => token))];
}

async function userNamed(baseUrl: string, partnerKey: string, name: string): Promise<TestClient> {
  const asked = { subject: `example:${name.toLowerCase()}`, expiresInSeconds: 3_600 };
  const token = await requestJson<{ accessToken: string }>('POST', `${baseUrl}/sandbox/v1/tokens`, asked);
  const headers = { 'x-api-key': partnerKey, authorization: `Bearer ${token.body.accessToken}` };
  const user = await requestJson<{ userId: string }>('POST', `${baseUrl}/v1/users`, undefined, headers);
  expect(user.status).toBe(200);
  return new TestClient(baseUrl, partnerKey, token.body.accessToken, user.body.userId);
}

class ExampleProcess {
  private process: ChildProcess | null = null;

  constructor(
    private readonly folder: string,
    private readonly env: Readonly<Record<string, string>>,
  ) {}

  async start(): Promise<void> {
    const started = spawn(process.execPath, ['-r', child, path.join('src', 'main.js')], {
      cwd: this.folder,
      env: { PATH: process.env['PATH'] ?? '', ...this.env },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    this.process = started;
    let output = '';
    const keep = (chunk: Buffer): void => {
      output = (output + chunk.toString('utf8')).slice(-outputLengthMax);
    };
    started.stdout?.on('data', keep);
    started.stderr?.on('data', keep);
    const look = async () => {
      if (started.exitCode !== null) throw new Error(`the example ended:\n${output}`);
      return output.includes('The example is at') ? true : null;
    };
    await until('the example', look, readyWithinMs);
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    const ended = this.process;
    if (ended === null || ended.exitCode !== null || ended.signalCode !== null) return;
    const gone = once(ended, 'exit');
    ended.kill(signal);
    await gone;
  }
}
