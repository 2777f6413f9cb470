// Installs and builds only what is missing or stale. Plain Node, because it runs before node_modules exists.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { buildClient } from './client.mjs';
import { withLock } from './lock.mjs';
import { matchesLockFile, npmRecord } from './installed.mjs';
import { StepFailed, binary, npmCommand, root, runStep } from './tool.mjs';
import { buildVerify } from './verify-package.mjs';

const installStamp = path.join('node_modules', '.parley-install');
const bundle = path.join('scripts', 'bundle.mjs');
const appMain = path.join('scripts', 'app-main.cjs');
const client = path.join('libs', 'clients', 'client');
const verify = path.join('libs', 'clients', 'verify');
const notInProduct = [client, verify, path.join('libs', 'testing')];

/** The builds, in order. `hash` covers everything that one reads, and gets the product's; `build` gets a function to name its tools. */
const builds = [
  { folder: '', hash: (product) => product, build: buildProduct },
  {
    folder: client,
    hash: (product) => packageHash(client, ['client.mjs', 'client-types.mjs'], product),
    build: buildClient,
  },
  {
    folder: verify,
    hash: (product) => packageHash(verify, ['verify-package.mjs', 'verify-page.mjs'], product),
    build: buildVerify,
  },
];

/**
 * Brings node_modules up to date with package-lock.json and, if asked, dist and those of libs/clients with the sources. Throws StepFailed
 * (nothing is stamped as fresh then).
 */
export async function prepare({ build }) {
  if (!installIsStale(root) && !(build && staleBuilds().length > 0)) return;
  await withLock(async (nameTool) => {
    await install(root, nameTool); // checked again under the lock, because another process may just have done it
    if (build) await buildStale(nameTool);
  });
}

/** Installs the packages of a folder with a package.json of its own, outside the product's lock file. */
export function prepareFolder(folder, npmArguments) {
  return withLock((nameTool) => install(folder, nameTool, npmArguments));
}

async function install(folder, nameTool, npmArguments = []) {
  if (!installIsStale(folder)) return;
  const lockFile = lockFileHash(folder);
  rmSync(path.join(folder, installStamp), { force: true });
  const [command, ...prefix] = npmCommand();
  const flags = ['--include=dev', '--include=optional', '--no-audit', '--no-fund', '--loglevel=notice'];
  const label = `installing packages (npm ci${folder === root ? '' : ` in ${path.relative(root, folder)}`})`;
  await runStep(label, command, [...prefix, 'ci', ...flags, ...npmArguments], { cwd: folder, onSpawn: nameTool });
  writeFileSync(path.join(folder, installStamp), installedState(folder, lockFile));
}

function installIsStale(folder) {
  const stamp = path.join(folder, installStamp);
  const state = installedState(folder, lockFileHash(folder));
  if (isStamped(stamp, state)) return false;
  // npm itself may have brought the folder to this state (npm install, npm ci): then only the marker is missing.
  if (!matchesLockFile(folder)) return true;
  writeFileSync(stamp, state);
  return false;
}

/** The lock file and npm's record: an npm install of another lock file, which was here meanwhile, changes only the record for good. */
function installedState(folder, lockFile) {
  const record = path.join(folder, npmRecord);
  return `${lockFile} ${existsSync(record) ? fileHash(record) : 'no record'}`;
}

function lockFileHash(folder) {
  const file = path.join(folder, 'package-lock.json');
  if (!existsSync(file)) throw new StepFailed(`${file} is missing: npm ci needs it`);
  return fileHash(file);
}

function fileHash(file) {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}

async function buildStale(nameTool) {
  // Hashed before the build, so that a source changed meanwhile makes the build stale.
  for (const { stamp, hash, build } of staleBuilds()) {
    rmSync(stamp, { force: true });
    await build(nameTool);
    writeFileSync(stamp, hash);
  }
}

async function buildProduct(onSpawn) {
  await runStep('building (nest build)', binary('nest'), ['build'], { onSpawn });
  await runStep('bundling the apps (esbuild)', process.execPath, [bundle], { onSpawn });
}

function staleBuilds() {
  const product = productHash();
  return builds
    .map(({ folder, hash, build }) => ({
      stamp: path.join(root, folder, 'dist', '.parley-build'),
      hash: hash(product),
      build,
    }))
    .filter(({ stamp, hash }) => !isStamped(stamp, hash));
}

function isStamped(stamp, hash) {
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === hash;
}

/** A hash of everything that the product's build reads: sources without specs, the build's configuration, and the packages' versions. */
function productHash() {
  const topLevel = readdirSync(root).filter((name) =>
    /^(tsconfig.*\.json|nest-cli\.json|package-lock\.json)$/.test(name),
  );
  const libraries = filesUnder('libs').filter(
    (file) => !notInProduct.some((folder) => file.startsWith(folder + path.sep)),
  );
  return hashOf([...topLevel, bundle, appMain, ...filesUnder('apps'), ...libraries]);
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
