import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { parseJSONRPCMessage, type JSONRPCMessage, type Transport } from '@modelcontextprotocol/client';
import { messageBytesMax } from './connection';
import { keepNumbers } from './exact-numbers';

/** Variables that a child inherits: those that programs need to run at all, none of the service's own. */
const inherited = ['HOME', 'LANG', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'TMPDIR', 'USER'];
const endWithinMs = 1000;
const lastWordsLengthMax = 2000;

interface Program {
  readonly command: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Runs a server as a child process, one JSON message a line. The library's transport forgets a child once it has asked it to end: no caller
 * could wait for the end of a child that does not exit by itself or never got ready, and it would outlive us. The child's standard input is
 * a pipe of ours, which closes with us, however we end.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** The end of what the child wrote to its standard error until its first call: from then on, it may be words of a person. */
  lastWords = '';
  private isCalled = false;
  private child: ChildProcessWithoutNullStreams | null = null;
  private parts: Buffer[] = [];
  private lineBytes = 0;

  constructor(private readonly program: Program) {}

  get isOpen(): boolean {
    return this.child !== null;
  }

  start(): Promise<void> {
    const { command, args = [], env } = this.program;
    const inheritedEnv = Object.fromEntries(inherited.map((name) => [name, process.env[name]]));
    const child = spawn(command, args, { env: { ...inheritedEnv, ...env }, stdio: 'pipe' });
    child.stdout.on('data', (chunk: Buffer) => this.read(chunk));
    child.stderr.on('data', (chunk: Buffer) => {
      if (this.isCalled) return;
      this.lastWords = (this.lastWords + chunk.toString('utf8')).slice(-lastWordsLengthMax);
    });
    for (const part of [child, child.stdin]) part.on('error', (error) => this.onerror?.(error));
    child.once('close', () => {
      this.child = null;
      this.onclose?.();
    });
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('spawn', () => {
        this.child = child;
        resolve();
      });
    });
  }

  send(message: JSONRPCMessage): Promise<void> {
    const { child } = this;
    if (child === null) return Promise.reject(new Error('the child process has ended'));
    if ('method' in message && message.method === 'tools/call') [this.isCalled, this.lastWords] = [true, ''];
    return new Promise((resolve, reject) => {
      child.stdin.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()));
    });
  }

  /** Ends the child: closes its input, then sends signals. Resolves when it has ended. */
  async close(): Promise<void> {
    const { child } = this;
    if (child === null) return;
    const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
    child.stdin.end();
    const terminate = setTimeout(() => child.kill('SIGTERM'), endWithinMs);
    const kill = setTimeout(() => child.kill('SIGKILL'), 2 * endWithinMs);
    // A grandchild that holds the pipes would otherwise keep us waiting even then.
    const giveUp = setTimeout(() => [child.stdout, child.stderr].forEach((pipe) => pipe.destroy()), 3 * endWithinMs);
    await ended;
    [terminate, kill, giveUp].forEach((timer) => clearTimeout(timer));
  }

  private read(chunk: Buffer): void {
    for (let rest = chunk; rest.length > 0;) {
      const end = rest.indexOf('\n');
      const part = end < 0 ? rest : rest.subarray(0, end);
      rest = end < 0 ? rest.subarray(rest.length) : rest.subarray(end + 1);
      this.lineBytes += part.length;
      if (this.lineBytes > messageBytesMax) {
        // The messages after it could not be distinguished reliably from the remainder of this line.
        this.child?.kill('SIGKILL');
        this.parts = [];
        return;
      }
      this.parts.push(part);
      if (end >= 0) this.receive(Buffer.concat(this.parts).toString('utf8'));
    }
  }

  private receive(line: string): void {
    this.parts = [];
    this.lineBytes = 0;
    try {
      const message = parseJSONRPCMessage(JSON.parse(keepNumbers(line)));
      if ('method' in message) this.onmessage?.(message);
      else this.afterNotifications(message);
    } catch (error) {
      this.report(error);
    }
  }

  /** The client handles a notification a moment after it got it: an answer in the same chunk must not overtake the progress before it. */
  private afterNotifications(answer: JSONRPCMessage): void {
    Promise.resolve()
      .then(() => this.onmessage?.(answer))
      .catch((error: unknown) => this.report(error));
  }

  private report(error: unknown): void {
    this.onerror?.(error instanceof Error ? error : new Error(String(error)));
  }
}
