// CPU profiles of every Node process of a run, and a summary of where each spent its time: a missed aim needs a reason
// that a profile shows.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const listed = 10;
/** The line in a bundle that names the source file of the lines that follow. */
const originPattern = /^\/\/ ((?:node_modules|dist|libs|apps)\/\S+)$/;
const idle = new Set(['(idle)', '(program)', '(root)']);

let folder;

/**
 * From now on every Node process that is started writes a profile for each of its threads. Returns a function that
 * writes the profile of this process.
 */
export async function profileInto(target) {
  folder = path.resolve(target);
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.start');
  return async () => {
    const { profile } = await session.post('Profiler.stop');
    const own = path.join(folder, 'load generator');
    mkdirSync(own, { recursive: true });
    writeFileSync(path.join(own, `${process.pid}.cpuprofile`), JSON.stringify(profile));
  };
}

/** Node's arguments for a process of that name, whose profiles get a separate folder. */
export const profileArgs = (name) =>
  folder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${path.join(folder, name)}`];

/**
 * The functions and packages that took most of the time of every process in the folder. Work of V8 and Node for a
 * package, such as writing to a socket, counts as that package's.
 */
export function profileSummary() {
  const names = readdirSync(folder).sort();
  return names.map((name) => summaryOf(name, profilesIn(path.join(folder, name)))).join('\n\n');
}

function profilesIn(processFolder) {
  const files = readdirSync(processFolder).filter((file) => file.endsWith('.cpuprofile'));
  return files.map((file) => JSON.parse(readFileSync(path.join(processFolder, file), 'utf8')));
}

function summaryOf(name, profiles) {
  const byPackage = new Map();
  const byFunction = new Map();
  for (const { what, owner, selfMs } of profiles.flatMap(selfTimes)) {
    if (idle.has(what)) continue;
    add(byPackage, owner, selfMs);
    add(byFunction, what === owner ? what : `${what}, ${owner}`, selfMs);
  }
  const busyMs = [...byPackage.values()].reduce((sum, ms) => sum + ms, 0);
  const top = (times) =>
    [...times]
      .sort(([, one], [, other]) => other - one)
      .slice(0, listed)
      .map(([what, ms]) => `  ${((ms * 100) / busyMs).toFixed(1).padStart(5)} %  ${what}`);
  const head = `${name}: ${(busyMs / 1000).toFixed(1)} s busy in ${profiles.length} thread(s), by package and by function`;
  return [head, ...top(byPackage), '', ...top(byFunction)].join('\n');
}

/** The time that each function of a profile took itself, without its callees, and the package that it worked for. */
function selfTimes({ nodes, samples, timeDeltas }) {
  const callers = new Map(nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node])));
  const places = new Map(
    nodes.map((node) => [node.id, { what: nameOf(node), owner: ownerOf(node, callers), selfMs: 0 }]),
  );
  samples.forEach((id, index) => (places.get(id).selfMs += timeDeltas[index] / 1000));
  return [...places.values()];
}

const nameOf = ({ callFrame }) =>
  callFrame.functionName || `(anonymous) in ${path.basename(placeOf(callFrame)) || 'V8'}`;

/**
 * The package of a function, or of its nearest caller that belongs to one; else Node's module, or the function itself.
 */
function ownerOf(node, callers) {
  for (let caller = node; caller !== undefined; caller = callers.get(caller.id)) {
    const owner = packageOf(placeOf(caller.callFrame));
    if (owner !== undefined) return owner;
  }
  return node.callFrame.url || nameOf(node);
}

function add(times, what, ms) {
  times.set(what, (times.get(what) ?? 0) + ms);
}

/** The file of a function; in a bundle, the source file that it was made of. */
function placeOf({ url, lineNumber }) {
  const file = url.startsWith('file:') ? fileURLToPath(url) : url;
  return (path.basename(file) === 'app.js' && originIn(file, lineNumber)) || file;
}

/** The name of a package, or the folder of a part of the project; undefined for V8's and Node's own code. */
function packageOf(place) {
  const [, name] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(place) ?? [];
  return name ?? /(?:libs\/[^/]+\/[^/]+|apps\/[^/]+|test\/bench)(?=\/)/.exec(place)?.[0];
}

const bundles = new Map();

/** The source file of a line of a bundle. */
function originIn(file, lineNumber) {
  if (!bundles.has(file)) bundles.set(file, originsOf(file));
  return bundles.get(file)[lineNumber];
}

function originsOf(file) {
  let origin;
  return readFileSync(file, 'latin1')
    .split('\n')
    .map((line) => (origin = originPattern.exec(line)?.[1] ?? origin));
}
