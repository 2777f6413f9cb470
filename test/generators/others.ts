/** Third-party generators and linters (test/generators/package.json), each run as a program of its own. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Deployment, startDeployment } from '@app/testing/deployment';

const root = join(__dirname, '..', '..');
const packages = join(__dirname, 'node_modules');
const outputMax = 64 * 1024 * 1024;
/** Only ends a program that hangs; on the first run, 700 packages are downloaded. */
export const withinMs = 600_000;

/** The outcome of a program. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The documents of a running service as files, and a folder for output made of them. */
export class Workshop {
  private constructor(
    readonly deployment: Deployment,
    readonly folder: string,
  ) {}

  /** Installs the programs if they are missing, starts a service, and saves its documents. */
  static async open(): Promise<Workshop> {
    await promisify(execFile)(process.execPath, [join(root, 'scripts', 'test-packages.mjs'), 'generators'], {
      timeout: withinMs,
    });
    const deployment = await startDeployment({ mode: 'in-process' });
    const workshop = new Workshop(deployment, await mkdtemp(join(tmpdir(), 'parley-generators-')));
    await symlink(packages, workshop.path('node_modules'));
    for (const name of ['openapi.json', 'openapi-3.0.json', 'asyncapi.json']) {
      const answer = await fetch(`${deployment.baseUrls[0]}/${name}`);
      expect({ name, status: answer.status }).toEqual({ name, status: 200 });
      await writeFile(workshop.path(name), await answer.text());
    }
    return workshop;
  }

  path(...names: string[]): string {
    return join(this.folder, ...names);
  }

  async newFolder(name: string): Promise<void> {
    await mkdir(this.path(name), { recursive: true });
  }

  /** Runs a program in the folder to its end, and returns its outcome even if it failed; one that hangs is killed. */
  async run(program: string, args: readonly string[], settings: Record<string, string> = {}): Promise<Ended> {
    const env = { ...environment(), ...settings };
    const options = { cwd: this.folder, env, timeout: withinMs, maxBuffer: outputMax };
    try {
      return { code: 0, ...(await promisify(execFile)(program, args, options)) };
    } catch (error) {
      const { code, stdout = '', stderr = '' } = error as Partial<Ended>; // reason for the assertion: the shape of execFile's errors
      if (typeof code !== 'number') throw error;
      return { code, stdout, stderr };
    }
  }

  /** Runs one of the packages' programs. */
  async tool(name: string, ...args: string[]): Promise<Ended> {
    return this.run(join(packages, '.bin', name), args);
  }

  async close(): Promise<void> {
    await this.deployment.stop();
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** The environment without the variables of npm and jest, and with telemetry turned off. */
function environment(): NodeJS.ProcessEnv {
  const { PATH, HOME } = process.env;
  return { PATH, HOME, CI: 'true', NO_COLOR: '1', DO_NOT_TRACK: '1' };
}
