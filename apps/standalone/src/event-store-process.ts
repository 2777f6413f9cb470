import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { CannotStart } from '@app/composition';
import { isJsonObject } from '@app/kernel';

/** The neighbouring app in the build. */
const program = join(__dirname, '..', '..', 'event-store', 'src', 'main.js');
/** How long the server may stay silent before it is ready. While it waits for something, it logs more often. */
const readyWithinMs = 60_000;
const stopWithinMs = 10_000;
const restartFirstMs = 50;
const restartLastMs = 2_000;
const lastLinesMax = 5;

/** The embedded event store as a process of its own: restarted on the same socket whenever it ends. */
export class EventStoreProcess {
  private child: ChildProcess | null = null;
  private stopping = false;
  private kept: Promise<void> = Promise.resolve();

  constructor(
    private readonly databaseUrl: string,
    private readonly socketPath: string,
    private readonly onLog: (line: string) => void,
  ) {}

  /** Value for `EVENTSTORE_URL`. */
  get url(): string {
    return `unix:${this.socketPath}`;
  }

  /** Resolves when it accepts appends. Throws, with the server's last log lines, when the first start fails. */
  async start(): Promise<void> {
    const child = await this.launch();
    this.kept = this.keepRunning(child);
  }

  /** Ends the server: gently, then by force. */
  async stop(): Promise<void> {
    this.stopping = true;
    const { child } = this;
    if (child !== null && isAlive(child)) {
      child.kill('SIGTERM');
      const force = setTimeout(() => child.kill('SIGKILL'), stopWithinMs);
      await once(child, 'exit');
      clearTimeout(force);
    }
    await this.kept;
  }

  private async keepRunning(first: ChildProcess): Promise<void> {
    let child: ChildProcess | null = first;
    for (let pauseMs = restartFirstMs; ;) {
      if (child !== null && isAlive(child)) await once(child, 'exit');
      if (this.stopping) return;
      this.onLog(`the event store ended (${child?.signalCode ?? child?.exitCode ?? 'no start'}) and is started again`);
      await sleep(pauseMs);
      if (this.stopping) return;
      child = await this.launch().catch((error: unknown) => {
        this.onLog(String(error));
        return null;
      });
      pauseMs = child === null ? Math.min(pauseMs * 2, restartLastMs) : restartFirstMs;
    }
  }

  private async launch(): Promise<ChildProcess> {
    const child = spawn(process.execPath, ['--enable-source-maps', program], {
      env: {
        DATABASE_URL: this.databaseUrl,
        EVENT_STORE_LISTEN: this.url,
        EVENT_STORE_PARENT_PID: String(process.pid),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      // A session of its own: a terminal's Ctrl-C goes to us, and we stop it when it is no longer needed.
      detached: true,
    });
    this.child = child;
    const lastLines: string[] = [];
    let patience: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((resolve) => (patience = setTimeout(resolve, readyWithinMs, false)));
    createInterface({ input: child.stderr }).on('line', (line) => {
      patience?.refresh();
      lastLines.push(line);
      if (lastLines.length > lastLinesMax) lastLines.shift();
      // The reason why it does not start is in the error of the start.
      const isReason = patience !== undefined && line.startsWith('{"level":"error"');
      if (!isReason && !line.startsWith('{"level":"info"')) this.onLog(line);
    });
    const ready = once(createInterface({ input: child.stdout }), 'line').then(() => true);
    const ended = once(child, 'exit').then(() => false);
    const isReady = await Promise.race([ready, ended, late]);
    clearTimeout(patience);
    patience = undefined;
    if (isReady) return child;
    child.kill('SIGKILL');
    throw new CannotStart(`the event store did not start: ${messageIn(lastLines)}`);
  }
}

function isAlive(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}

/** The server reports an error as one JSON object in its last line; other output, such as a crash of Node, is shown in full. */
function messageIn(lines: readonly string[]): string {
  try {
    const last: unknown = JSON.parse(lines.at(-1) ?? '');
    if (isJsonObject(last) && typeof last['message'] === 'string') return last['message'];
  } catch {
    // Not the server's own message.
  }
  return lines.join('\n') || 'it said nothing';
}
