import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import { LoopbackMcp } from '@app/testing/mcp';
import { LoopbackModels } from '@app/testing/models';
import { freePorts, TestProcess } from '@app/testing/processes';
import { until } from '@app/testing/until';
import { openWitness } from '@app/witness';
import { startShippedPrometheus, type ShippedPrometheus } from './shipped-prometheus';

const run = promisify(execFile);
const diskMebibytes = 32;

/** Execution slots of the deployment; one user may hold all of them. */
export const capacity = 8;

/** A deployment in which every part can be broken, and a Prometheus that watches it. */
export interface WatchedDeployment {
  readonly deployment: Deployment;
  readonly models: LoopbackModels;
  readonly mcp: LoopbackMcp;
  /** A required witness, and its port. */
  readonly witness: TestProcess;
  readonly witnessPort: number;
  /** The mount point of the small disk that holds the data folder. */
  readonly disk: string;
  readonly prometheus: ShippedPrometheus;
  /** Waits until all of these have fired, repairs the fault, and waits until none of them fires any more. */
  whileBroken(names: readonly string[], mend: () => Promise<unknown>): Promise<void>;
  stop(): Promise<void>;
}

/** Starts it. Requires root, to mount the disk. */
export async function startWatchedDeployment(): Promise<WatchedDeployment> {
  const undo: (() => Promise<unknown>)[] = [];
  const stop = async (): Promise<void> => {
    for (let step = undo.pop(); step !== undefined; step = undo.pop()) await step();
  };
  try {
    const disk = await mkdtemp(join(tmpdir(), 'parley-small-disk-'));
    undo.push(() => rm(disk, { recursive: true, force: true }));
    await run('mount', ['-t', 'tmpfs', '-o', `size=${diskMebibytes}m`, 'tmpfs', disk]);
    undo.push(() => run('umount', [disk]));
    const models = await LoopbackModels.start('openai-compatible');
    undo.push(() => models.close());
    const mcp = await LoopbackMcp.start();
    undo.push(() => mcp.stop());
    const { witness, address, witnessPort } = await makeWitness(undo);
    const witnesses = { WITNESSES: address, WITNESSES_NEEDED: '1' };
    const env = { ...environment(models, mcp, disk), ...witnesses };
    const deployment = await startDeployment({ mode: 'processes', env });
    undo.push(() => deployment.stop());
    await deployment.newUser();
    await witness.start({ WITNESS_LOGS: await keyOfLog(deployment) });
    const prometheus = await startShippedPrometheus(deployment.managementPorts);
    undo.push(() => prometheus.stop());
    const whileBroken = (names: readonly string[], mend: () => Promise<unknown>) => fireAndEnd(prometheus, names, mend);
    return { deployment, models, mcp, witness, witnessPort, disk, prometheus, whileBroken, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function environment(models: LoopbackModels, mcp: LoopbackMcp, disk: string): Record<string, string> {
  const server = { name: 'docs', transport: { type: 'http', url: mcp.url }, consent: 'auto' };
  return {
    ...models.environment(),
    MODEL_RETRIES: '0',
    MODEL_BREAKER_FAILURES: '2',
    MODEL_BREAKER_OPEN_MS: '2000',
    MCP_SERVERS: JSON.stringify([server]),
    PARLEY_DATA_DIR: disk,
    REQUESTS_AT_ONCE: '4',
    EXECUTION_CAPACITY: String(capacity),
    EXECUTION_CAPACITY_PER_USER: String(capacity),
    LOG_LEVEL: 'silent',
  };
}

/** A witness that already has its key; it learns the log's key once the deployment runs. */
async function makeWitness(undo: (() => Promise<unknown>)[]) {
  const folder = await mkdtemp(join(tmpdir(), 'parley-witness-'));
  undo.push(() => rm(folder, { recursive: true, force: true }));
  const { key, close } = await openWitness({ folder, name: 'w.example', logs: [], onNews: () => undefined });
  await close();
  const [port = 0] = await freePorts(1);
  const ready = (output: string): boolean => output.includes('Witness ready');
  const witness = new TestProcess({ app: 'witness', env: { WITNESS_DIR: folder, PORT: String(port) }, ready });
  undo.push(() => witness.stop());
  return { witness, witnessPort: port, address: `${key} http://127.0.0.1:${port}` };
}

/** The key with which the deployment's log is signed. */
export async function keyOfLog({ baseUrls }: Deployment): Promise<string> {
  return until('the key of the log', async () => {
    const answer = await fetch(`${baseUrls[0]}/transparency/key`);
    return answer.ok ? (await answer.text()).trim() : null;
  });
}

async function fireAndEnd(
  prometheus: ShippedPrometheus,
  names: readonly string[],
  mend: () => Promise<unknown>,
): Promise<void> {
  // On a busy machine, the alerts may not all fire at the same time.
  const fired = new Set<string>();
  const missing = (): string => names.filter((name) => !fired.has(name)).join(', ');
  await until(missing, async () => {
    for (const name of await prometheus.firing()) fired.add(name);
    return missing() === '' || null;
  });
  await mend();
  let firing: ReadonlySet<string> = fired;
  const left = (): string => names.filter((name) => firing.has(name)).join(', ');
  const end = (): string => `the end of ${left()}`;
  await until(end, async () => {
    firing = await prometheus.firing();
    return left() === '' || null;
  });
}

/** Stops or continues a process. */
export function signal(one: TestProcess | null | undefined, name: 'SIGSTOP' | 'SIGCONT'): void {
  if (one == null) throw new Error('there is no such process');
  process.kill(one.pid, name);
}

/** Calls again and again, until the returned function is called. */
export function again(call: () => Promise<unknown>, pauseMs: number): () => Promise<void> {
  let isOver = false;
  const done = (async () => {
    while (!isOver) {
      await call().catch(() => undefined); // a failure may be what the test wants
      await sleep(pauseMs);
    }
  })();
  return async () => {
    isOver = true;
    await done;
  };
}
