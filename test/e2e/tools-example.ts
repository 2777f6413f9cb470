import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { requestJson, TestClient } from '@app/testing/client';
import { conversationOf, eventsOf, untilEnded } from '@app/testing/journeys';
import { freePorts, TestProcess, type SandboxAccess } from '@app/testing/processes';
import { until } from '@app/testing/until';

const example = path.join(__dirname, '..', '..', 'examples', 'tools');
const child = path.join(__dirname, '..', '..', 'libs', 'testing', 'src', 'processes', 'child.cjs');
const readyWithinMs = 90_000; // as for a process of the product on a crowded machine
const outputLengthMax = 100_000;
/** The longest life that can be asked for, because the clock is moved. */
const tokenLifeSeconds = 31_622_400;

/** The effect of a call, as examples/tools writes it down. */
export interface Done {
  readonly userId: string;
  readonly callId: string;
  readonly orderId: string;
  readonly cancelled: boolean;
}

/** An order as the tools list it. */
interface Order {
  readonly id: string;
  readonly status: string;
}

/** A sandbox as `npm start` runs it and examples/tools as its README starts it. Both are processes that can be killed. */
export interface ToolsBeside {
  readonly baseUrl: string;
  readonly toolsUrl: string;
  readonly parley: TestProcess;
  readonly tools: ToolsProcess;
  newUser(): Promise<TestClient>;
  advance(seconds: number): Promise<void>;
  /** Kills the tools after they have written down the effect of the next call, before they answer. */
  killAfterRecord(): Promise<void>;
  /** Blocks the tools at that point; returns how to release them. */
  holdAfterRecord(): Promise<{ untilHeld(): Promise<unknown>; release(): Promise<void> }>;
  done(): Promise<readonly Done[]>;
  stop(): Promise<void>;
}

/** @param contextKey an entry of CONTEXT_SIGNING_KEYS */
export async function startToolsBeside(contextKey: string): Promise<ToolsBeside> {
  const folder = await mkdtemp(path.join(tmpdir(), 'parley-tools-'));
  const [port = 0, managementPort, toolsPort = 0] = await freePorts(3);
  const baseUrl = `http://127.0.0.1:${port}`;
  const ordersFile = path.join(folder, 'orders.jsonl');
  const tools = new ToolsProcess(folder, {
    PARLEY_BASE_URL: baseUrl,
    PORT: String(toolsPort),
    ORDERS_FILE: ordersFile,
  });
  const settings = await readFile(path.join(example, 'mcp-servers.json'), 'utf8');
  const parley = new TestProcess({
    app: 'standalone',
    env: {
      PORT: String(port),
      MANAGEMENT_PORT: String(managementPort),
      LOG_LEVEL: 'warn',
      CONTEXT_SIGNING_KEYS: contextKey,
      MCP_SERVERS: settings.replace(':3100/', `:${toolsPort}/`),
    },
    cwd: folder,
    ready: (output) => output.includes('is ready'),
  });
  const stop = async () => {
    await parley.kill('SIGINT');
    await tools.end('SIGTERM');
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await tools.start();
    await parley.start();
  } catch (error) {
    await stop();
    throw error;
  }
  const accessFile = path.join(folder, '.parley', 'sandbox.json');
  // Reason for the assertion: other suites check its shape.
  const { partnerKey } = JSON.parse(await readFile(accessFile, 'utf8')) as SandboxAccess;
  return {
    baseUrl,
    toolsUrl: `http://127.0.0.1:${toolsPort}/mcp`,
    parley,
    tools,
    newUser: () => newUser(baseUrl, partnerKey),
    advance: (seconds) => advance(baseUrl, seconds),
    killAfterRecord: () => writeFile(path.join(folder, 'kill'), ''),
    async holdAfterRecord() {
      await writeFile(path.join(folder, 'hold'), '');
      const held = () => Promise.resolve(existsSync(path.join(folder, 'held')) || null);
      return {
        untilHeld: () => until('what was done', held),
        release: () => rm(path.join(folder, 'hold')),
      };
    },
    // Reason for the assertion: the example writes nothing else.
    done: async () =>
      (await readFile(ordersFile, 'utf8'))
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Done),
    stop,
  };
}

/** Asks the tools for the user's orders, in a new conversation. */
export async function ordersOf(user: TestClient): Promise<readonly Order[]> {
  const conversationId = await conversationOf(user);
  const input = { text: 'call orders_list_orders {}' };
  const { body } = await user.post<{ runId: string }>('/agent-runs', { conversationId, input });
  expect(await untilEnded(user, body.runId)).toMatchObject({ status: 'completed' });
  return listedIn(user, conversationId);
}

/** The orders that the tool returned in a conversation. */
export async function listedIn(user: TestClient, conversationId: string): Promise<readonly Order[]> {
  const [returned] = await eventsOf(user, conversationId, 'tool.returned');
  expect(returned).toMatchObject({ outcome: 'ok' });
  const { text } = returned?.['result'] as { text: string }; // reason for the assertion: the result of a tool that returns text
  return JSON.parse(text) as readonly Order[];
}

async function newUser(baseUrl: string, partnerKey: string): Promise<TestClient> {
  const asked = { subject: `user-${randomUUID()}`, expiresInSeconds: tokenLifeSeconds };
  const token = await requestJson<{ accessToken: string }>('POST', `${baseUrl}/sandbox/v1/tokens`, asked);
  const headers = { 'x-api-key': partnerKey, authorization: `Bearer ${token.body.accessToken}` };
  const user = await requestJson<{ userId: string }>('POST', `${baseUrl}/v1/users`, undefined, headers);
  expect(user.status).toBe(200);
  return new TestClient(baseUrl, partnerKey, token.body.accessToken, user.body.userId);
}

async function advance(baseUrl: string, seconds: number): Promise<void> {
  for (let left = seconds; left > 0;) {
    const url = `${baseUrl}/sandbox/v1/clock`;
    const { status, body } = await requestJson<{ remainingSeconds: number }>('POST', url, { advanceSeconds: left });
    expect(status).toBe(200);
    left = body.remainingSeconds;
  }
}

/** examples/tools as a process. */
class ToolsProcess {
  private process: ChildProcess | null = null;
  private output = '';

  constructor(
    private readonly orders: string,
    private readonly env: Readonly<Record<string, string>>,
  ) {}

  async start(): Promise<void> {
    const afterRecord = path.join(__dirname, 'after-record.cjs');
    const started = spawn(process.execPath, ['-r', child, '-r', afterRecord, path.join('src', 'main.js')], {
      cwd: example,
      env: { PATH: process.env['PATH'] ?? '', AFTER_RECORD: this.orders, ...this.env },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    this.process = started;
    this.output = '';
    const keep = (chunk: Buffer): void => {
      this.output = (this.output + chunk.toString('utf8')).slice(-outputLengthMax);
    };
    started.stdout?.on('data', keep);
    started.stderr?.on('data', keep);
    const look = () => {
      if (started.exitCode !== null) throw new Error(`the tools ended:\n${this.output}`);
      return Promise.resolve(this.output.includes('The tools are at') || null);
    };
    await until('the tools', look, readyWithinMs);
  }

  /** Resolves when the process has ended by itself or by a signal. */
  async untilEnded(): Promise<void> {
    const { process: started } = this;
    if (started === null || started.exitCode !== null || started.signalCode !== null) return;
    await once(started, 'exit');
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    this.process?.kill(signal);
    await this.untilEnded();
  }
}
