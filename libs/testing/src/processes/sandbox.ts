import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TestClient } from '../client/deployment-client';
import { TestProcess } from './deployment-process';
import { freePorts } from './free-ports';

/** The contents of `sandbox.json`, which `npm start` writes for a newcomer. */
export interface SandboxAccess {
  readonly baseUrl: string;
  readonly partnerKey: string;
  readonly userToken: string;
  readonly userId: string;
}

/** A sandbox as `npm start` runs it: one process, embedded stores, a data folder `.parley` in a folder of its own. */
export interface Sandbox {
  readonly folder: string;
  readonly access: SandboxAccess;
  readonly client: TestClient;
  readonly pid: number;
  /** Kills it as with kill -9, and waits until it is gone. */
  kill(): Promise<void>;
  /** Starts it again after `kill`, on the same ports and stores, and waits until it is ready. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a sandbox and waits until it is ready. */
export async function startSandbox(env: Readonly<Record<string, string>> = {}): Promise<Sandbox> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-sandbox-'));
  const [port, managementPort] = await freePorts(2);
  const process = new TestProcess({
    app: 'standalone',
    env: { PORT: String(port), MANAGEMENT_PORT: String(managementPort), LOG_LEVEL: 'warn', ...env },
    cwd: folder,
    ready: (output) => output.includes('is ready'),
  });
  const stop = async (): Promise<void> => {
    await process.kill('SIGINT');
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await process.start();
    // Reason for the assertion: the tests are about these members.
    const access = JSON.parse(await readFile(join(folder, '.parley', 'sandbox.json'), 'utf8')) as SandboxAccess;
    const client = new TestClient(access.baseUrl, access.partnerKey, access.userToken, access.userId);
    const kill = async (): Promise<void> => void (await process.kill());
    const start = () => process.start();
    return { folder, access, client, pid: process.pid, kill, start, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
