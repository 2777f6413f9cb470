// Installs and builds only what is missing or stale. Plain Node, because it runs before node_modules exists.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { buildClient } from './client.mjs';
import { withLock } from './lock.mjs';
import { matchesLockFile } from './installed.mjs';
import { StepFailed, binary, npmCommand, root, runStep } from './tool.mjs';
import { buildVerify } from './verify-package.mjs';

const installStamp = path.join('node_modules', '.parley-install');
const bundle = path.join('scripts', 'bundle.mjs');
const appMain = path.join('scripts', 'app-main.cjs');
const buildStamp = path.join(root, 'dist', '.parley-build');
const client = path.join('libs', 'clients', 'client');
const verify = path.join('libs', 'clients', 'verify');
const notInProduct = [client, verify, path.join('libs', 'testing')];
const clientStamp = path.join(root, client, 'dist', '.parley-build');
const verifyStamp = path.join(root, verify, 'dist', '.parley-build');

/**
 * Brings node_modules up to date with package-lock.json and, if asked, dist and those of libs/clients with the sources. Throws StepFailed
 * (nothing is stamped as fresh then).
 */
export async function prepare({ build }) {
  if (!installIsStale(root) && !(build && buildIsStale())) return;
  await withLock(async (nameTool) => {
    await install(root, nameTool); // checked again under the lock, because another process may just have done it
    if (build && buildIsStale()) await buildAll(nameTool);
  });
}

/** Installs the packages of a folder with a package.json of its own, outside the product's lock file. */
export function prepareFolder(folder, npmArguments) {
  return withLock((nameTool) => install(folder, nameTool, npmArguments));
}

async function install(folder, nameTool, npmArguments = []) {
  if (!installIsStale(folder)) return;
  const hash = lockFileHash(folder);
  rmSync(path.join(folder, installStamp), { force: true });
  const [command, ...prefix] = npmCommand();
  const flags = [
    '--include=dev',
    '--include=optional',
    '--no-audit',
    '--no-fund',
    '--loglevel=notice',
    ...npmArguments,
  ];
  const label = `installing packages (npm ci${folder === root ? '' : ` in ${path.relative(root, folder)}`})`;
  await runStep(label, command, [...prefix, 'ci', ...flags], { cwd: folder, onSpawn: nameTool });
  writeFileSync(path.join(folder, installStamp), hash);
}

function installIsStale(folder) {
  const stamp = path.join(folder, installStamp);
  const hash = lockFileHash(folder);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return false;
  // npm itself may have brought the folder to this state (npm install, npm ci): then only the marker is missing.
  if (!matchesLockFile(folder)) return true;
  writeFileSync(stamp, hash);
  return false;
}

function lockFileHash(folder) {
  const file = path.join(folder, 'package-lock.json');
  if (!existsSync(file)) throw new StepFailed(`${file} is missing: npm ci needs it`, '');
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}

async function buildAll(nameTool) {
  const product = productHash(); // before the build, so that a source changed meanwhile makes the build stale
  if (!isStamped(buildStamp, product)) {
    rmSync(buildStamp, { force: true });
    await runStep('building (nest build)', binary('nest'), ['build'], { onSpawn: nameTool });
    await runStep('bundling the apps (esbuild)', process.execPath, [bundle], { onSpawn: nameTool });
    writeFileSync(buildStamp, product);
  }
  const all = clientHash(product);
  if (!isStamped(clientStamp, all)) {
    await buildClient({ onSpawn: nameTool });
    writeFileSync(clientStamp, all);
  }
  const verifying = verifyHash(product);
  if (isStamped(verifyStamp, verifying)) return;
  await buildVerify();
  writeFileSync(verifyStamp, verifying);
}

function buildIsStale() {
  const product = productHash();
  return (
    !isStamped(buildStamp, product) ||
    !isStamped(clientStamp, clientHash(product)) ||
    !isStamped(verifyStamp, verifyHash(product))
  );
}

function isStamped(stamp, hash) {
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === hash;
}

/** A hash of everything that the build reads: sources without specs, the build's configuration, and the packages' versions. */
function productHash() {
  const topLevel = readdirSync(root).filter((name) =>
    /^(tsconfig.*\.json|nest-cli\.json|package-lock\.json)$/.test(name),
  );
  const libraries = filesUnder('libs').filter(
    (file) => !notInProduct.some((folder) => file.startsWith(folder + path.sep)),
  );
  return hashOf([...topLevel, bundle, appMain, ...filesUnder('apps'), ...libraries]);
}

/** A hash of everything that the client's build reads: the product's document, and its own sources. */
function clientHash(product) {
  return packageHash(client, ['client.mjs', 'client-types.mjs'], product);
}

/** A hash of everything that the build of @parley/verify reads: sources of the product, and its own. */
function verifyHash(product) {
  return packageHash(verify, ['verify-package.mjs', 'verify-page.mjs'], product);
}

function packageHash(folder, scripts, product) {
  const made = /[\\/](dist[^\\/]*|generated)[\\/]/;
  const own = filesUnder(folder).filter((file) => !made.test(file));
  return hashOf([...own, ...scripts.map((name) => path.join('scripts', name))], product);
}

function hashOf(files, start = '') {
  const hash = createHash('sha256').update(start);
  for (const file of [...files].sort()) {
    hash.update(`${file}\0`).update(
      createHash('sha256')
        .update(readFileSync(path.join(root, file)))
        .digest(),
    );
  }
  return hash.digest('hex');
}

function filesUnder(folder) {
  const entries = readdirSync(path.join(root, folder), { withFileTypes: true });
  return entries.flatMap((entry) => {
    const name = path.join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : filesUnder(name);
    return entry.isFile() && !/\.(spec\.ts|md)$/.test(entry.name) ? [name] : [];
  });
}
