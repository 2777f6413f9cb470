import { spawn } from 'node:child_process';
import { errorCode } from './files';
import { CHILD_ENVIRONMENT, run } from './run';

/** A process that ends with the server, or when it is dismissed after the server's end. */
export interface Guardian {
  dismiss(): void;
}

/** The command to start in place of a program: `command`, with `prefix` before the program's own arguments. */
export interface Tied {
  command: string;
  prefix: readonly string[];
  /** False when `guard` must end the program instead. */
  byKernel: boolean;
}

/**
 * Makes the kernel send `signal` to the program when the thread that started it ends, even by kill -9, and forbids the program ever to gain
 * privileges. If setpriv(1) cannot do that (macOS, util-linux before 2.33), the program is started unchanged.
 */
export async function tieToUs(signal: 'INT' | 'KILL', program: string): Promise<Tied> {
  const untied = { command: program, prefix: [], byKernel: false };
  if (process.platform !== 'linux') return untied;
  const flags = ['--pdeathsig', signal, '--no-new-privs', '--'];
  try {
    const { code } = await run('setpriv', [...flags, 'true']);
    return code === 0 ? { command: 'setpriv', prefix: [...flags, program], byKernel: true } : untied;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return untied;
    throw error;
  }
}

/**
 * Starts a shell that reads from us. When we end, for whatever reason, its input ends, and it asks the server `pid` to shut down. It runs
 * in a session of its own, so Ctrl-C in a terminal does not reach it.
 */
export function guard(pid: number): Guardian {
  const shell = spawn('/bin/sh', ['-c', 'read -r line || kill -INT "$1"', 'sh', String(pid)], {
    detached: true,
    cwd: '/',
    env: CHILD_ENVIRONMENT,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  shell.unref();
  // Without a guardian the server still runs; the next start ends any server that this one leaves behind.
  shell.on('error', () => undefined);
  shell.stdin.on('error', () => undefined);
  return { dismiss: () => void shell.stdin.end('done\n') };
}
