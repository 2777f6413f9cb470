import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** The time that apt-get may need on a slow network. */
export const installedWithinMs = 300_000;

const script = join(__dirname, '..', '..', '..', '..', 'scripts', 'debian.mjs');

/**
 * Returns the path of a program that npm does not provide; installs it with apt-get if it is missing
 * (scripts/debian.mjs, which lists them).
 */
export async function debianProgram(program: string): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [script, program], { timeout: installedWithinMs });
  return stdout.trim();
}
