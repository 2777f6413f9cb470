import { spawn, type StdioOptions } from 'node:child_process';

/** A user of the operating system, by the numbers that `chown` and `spawn` take. */
export interface Account {
  uid: number;
  gid: number;
}

export interface Finished {
  /** Exit code; null when a signal ended the command. */
  code: number | null;
  /** Its output on stdout and stderr, at most the last OUTPUT_LENGTH_MAX characters. */
  output: string;
}

const OUTPUT_LENGTH_MAX = 8_192;

/**
 * The environment of every command started here. Only PATH is passed on, because variables such as PGDATA, PGOPTIONS or LD_PRELOAD would
 * change what the server does, and it has no need of the product's secrets.
 */
export const CHILD_ENVIRONMENT = {
  PATH: [process.env['PATH'], '/usr/local/bin', '/usr/bin', '/bin', '/usr/sbin', '/sbin'].filter(Boolean).join(':'),
  LC_ALL: 'C',
  TZ: 'UTC',
};

/** The options with which `spawn` runs a program as `account`; empty to run it as ourselves. */
export function asAccount(account: Account | undefined): { uid?: number; gid?: number } {
  return account === undefined ? {} : { uid: account.uid, gid: account.gid };
}

/**
 * Runs a command to its end and returns its exit code and output.
 * `inherited` is an open file that becomes the command's descriptor 0 (`as: 'stdin'`) or 3.
 * The command is killed when `signal` aborts.
 * Rejects only when the command cannot be started (`ENOENT`, `EACCES`, …).
 */
export function run(
  command: string,
  args: readonly string[],
  options: {
    cwd?: string;
    account?: Account | undefined;
    inherited?: { fd: number; as: 'stdin' | 'fd3' };
    signal?: AbortSignal | undefined;
  } = {},
): Promise<Finished> {
  const { inherited } = options;
  const stdio: StdioOptions = [inherited?.as === 'stdin' ? inherited.fd : 'ignore', 'pipe', 'pipe'];
  if (inherited?.as === 'fd3') stdio.push(inherited.fd);
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      stdio,
      env: CHILD_ENVIRONMENT,
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
      ...asAccount(options.account),
    });
    const kill = (): void => void child.kill('SIGKILL');
    options.signal?.addEventListener('abort', kill, { once: true });
    let output = '';
    const keep = (chunk: Buffer): void => {
      output = (output + chunk.toString('utf8')).slice(-OUTPUT_LENGTH_MAX);
    };
    child.stdout?.on('data', keep);
    child.stderr?.on('data', keep);
    child.once('error', reject);
    child.once('close', (code) => {
      options.signal?.removeEventListener('abort', kill);
      resolve({ code, output: output.trim() });
    });
  });
}
