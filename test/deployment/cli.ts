import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** The build's command line. */
export const parleyMain = join(__dirname, '..', '..', 'dist', 'apps', 'cli', 'src', 'main.js');

/** The outcome of running a command. */
export interface CommandOutcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `parley` as its user would, and waits for its end. */
export async function parley(
  env: Readonly<Record<string, string>>,
  args: readonly string[],
  cwd?: string,
): Promise<CommandOutcome> {
  const child = spawn(process.execPath, ['--enable-source-maps', parleyMain, ...args], {
    env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '/', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(cwd !== undefined && { cwd }),
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString('utf8')));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString('utf8')));
  await once(child, 'close');
  return { code: child.exitCode, stdout, stderr };
}

/** The JSON that a command printed with `--json`. Throws its error if it failed. */
export function jsonOf<Value>({ code, stdout, stderr }: CommandOutcome): Value {
  if (code !== 0) throw new Error(`parley ended with ${code}: ${stderr}`);
  // Reason for the assertion: the test states what it expects, and checks the members that matter to it.
  return JSON.parse(stdout) as Value;
}
