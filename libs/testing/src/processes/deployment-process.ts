import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const root = join(__dirname, '..', '..', '..', '..');
const outputLinesMax = 2_000;
const readyWithinMs = 90_000; // a busy machine has needed 30 s
const stopWithinMs = 30_000;
const askAgainMs = 50;
/** A process that does not get ready reports its stack and its open connections on this signal. */
const reportSignal = 'SIGQUIT';
const report = ['--report-on-signal', `--report-signal=${reportSignal}`, '--report-filename=stderr'];
const reportWithinMs = 2_000;

export type AppName = 'api' | 'worker' | 'event-store' | 'standalone' | 'witness';

export interface ProcessOptions {
  readonly app: AppName;
  readonly env: Readonly<Record<string, string>>;
  /** The working folder; a `.env` file there is read. */
  readonly cwd?: string;
  /** Whether the process is ready now; polled. */
  ready(this: void, output: string): boolean | Promise<boolean>;
}

/** A folder for the whole output of each process, of which `output` has the end only; a variable of the process's environment. */
const outputFolder = 'TEST_OUTPUT_FOLDER';

/** One process of the product's build, as an operator would run it. It ends with the jest worker at the latest. */
export class TestProcess {
  private child: ChildProcess | null = null;
  /** The output of the current (or last) process, on both streams. */
  output = '';

  constructor(private readonly options: ProcessOptions) {}

  get pid(): number {
    const pid = this.child?.pid;
    if (pid === undefined) throw new Error(`${this.options.app} does not run`);
    return pid;
  }

  /** Whether it was started and has not ended since. */
  get isAlive(): boolean {
    return this.child !== null && isAlive(this.child);
  }

  /** Whether it runs and is ready now. */
  async isReady(): Promise<boolean> {
    return this.isAlive && this.options.ready(this.output);
  }

  /**
   * Starts it and waits until it is ready. Throws, with its output, if it ends before or is too slow. @param changed
   * overrides its environment, this time
   */
  async start(changed: Readonly<Record<string, string>> = {}): Promise<void> {
    const { app, env, cwd } = this.options;
    const main = join(root, 'dist', 'apps', app, 'src', 'main.js');
    if (!existsSync(main)) throw new Error(`${main} is missing: npm run build, or run jest through npm test`);
    const child = spawn(
      process.execPath,
      ['-r', join(__dirname, 'child.cjs'), '--enable-source-maps', ...report, main],
      {
        cwd: cwd ?? root,
        env: { PATH: process.env['PATH'] ?? '', ...env, ...changed },
        stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      },
    );
    this.child = child;
    this.output = '';
    const folder = env[outputFolder];
    const file = folder === undefined ? null : join(folder, `${app}-${child.pid}.log`);
    const keep = (chunk: Buffer): void => {
      if (file !== null) appendFileSync(file, chunk);
      this.output = (this.output + chunk.toString('utf8')).split('\n').slice(-outputLinesMax).join('\n');
    };
    child.stdout?.on('data', keep);
    child.stderr?.on('data', keep);
    await this.untilReady(child);
  }

  /** Sends a signal and waits for the end; returns the exit code, or null if the signal itself ended it. */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<number | null> {
    const { child } = this;
    if (child === null || !isAlive(child)) return child?.exitCode ?? null;
    const ended = once(child, 'exit');
    child.kill(signal);
    const force = setTimeout(() => child.kill('SIGKILL'), stopWithinMs);
    await ended;
    clearTimeout(force);
    return child.exitCode;
  }

  /** Asks it to end, as an orchestrator would, and waits for that. */
  async stop(): Promise<number | null> {
    return this.kill('SIGTERM');
  }

  /** Kills it and starts it again, on the same ports and stores. */
  async restart(): Promise<void> {
    await this.kill();
    await this.start();
  }

  private async untilReady(child: ChildProcess): Promise<void> {
    const deadline = performance.now() + readyWithinMs;
    while (isAlive(child)) {
      if (await this.options.ready(this.output)) return;
      if (performance.now() > deadline) {
        child.kill(reportSignal);
        await sleep(reportWithinMs);
        throw new Error(`${this.options.app} is not ready in time:\n${this.output}`);
      }
      await sleep(askAgainMs);
    }
    throw new Error(`${this.options.app} ended with ${child.signalCode ?? child.exitCode}:\n${this.output}`);
  }
}

function isAlive(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}

/**
 * Whether `GET /readyz` reports that everything is available, projections included; if `degraded`, whether that or that
 * something optional is not.
 */
export async function isReady(baseUrl: string, degraded = false): Promise<boolean> {
  try {
    const response = await fetch(`${baseUrl}/readyz`);
    const answer: unknown = await response.json();
    return (
      typeof answer === 'object' &&
      answer !== null &&
      'status' in answer &&
      (answer.status === 'ok' || (degraded && answer.status === 'degraded'))
    );
  } catch {
    // It does not listen yet.
    return false;
  }
}
