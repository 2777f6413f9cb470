// CPU profiles of every Node process of a run, and where each spent its time: a miss shall have a reason that a profile shows.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const listed = 10;
/** How a bundle says which file the lines that follow come from. */
const originPattern = /^\/\/ ((?:node_modules|dist|libs|apps)\/\S+)$/;
const idle = new Set(['(idle)', '(program)', '(root)']);

let folder;

/** From now on every Node process that is started leaves a profile for each of its threads, and this one does when told to stop. */
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

/** Node's arguments for a process of that name: its profiles get a folder of their own. */
export const profileArgs = (name) =>
  folder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${path.join(folder, name)}`];

/** For every process of the folder what took most of its own time, by package and by function. */
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
  for (const { frame, selfMs } of profiles.flatMap(selfTimes)) {
    if (idle.has(frame.functionName)) continue;
    const where = placeOf(frame);
    const what = where === '' ? frame.functionName : `${frame.functionName || '(anonymous)'}, ${where}`;
    add(byPackage, packageOf(where) || frame.functionName, selfMs);
    add(byFunction, what, selfMs);
  }
  const busyMs = [...byPackage.values()].reduce((sum, ms) => sum + ms, 0);
  const top = (times) =>
    [...times]
      .sort(([, one], [, other]) => other - one)
      .slice(0, listed)
      .map(([what, ms]) => `  ${((ms * 100) / busyMs).toFixed(1).padStart(5)} %  ${what}`);
  const head = `${name}: busy for ${(busyMs / 1000).toFixed(1)} s in ${profiles.length} threads; its own time by package, by function`;
  return [head, ...top(byPackage), '', ...top(byFunction)].join('\n');
}

/** What each place of a profile took by itself, without what it called. */
function selfTimes({ nodes, samples, timeDeltas }) {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  return samples.map((id, index) => ({ frame: frames.get(id), selfMs: timeDeltas[index] / 1000 }));
}

function add(times, what, ms) {
  times.set(what, (times.get(what) ?? 0) + ms);
}

/** The file of a function, below the project; of a bundle the file that it was made of. Empty for what is V8's own. */
function placeOf({ url, lineNumber }) {
  const file = url.startsWith('file:') ? fileURLToPath(url) : url;
  if (!path.isAbsolute(file)) return file;
  const origin = path.basename(file) === 'app.js' ? originIn(file, lineNumber) : undefined;
  return origin ?? file.replace(/^.*?\/(?=node_modules\/|dist\/|test\/)/, '');
}

/** A package by its name, a library of ours by its folder. */
function packageOf(place) {
  const [, name] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(place) ?? [];
  if (name !== undefined) return name;
  const [own] = /(?:libs\/[^/]+\/[^/]+|apps\/[^/]+|test\/bench)(?=\/)/.exec(place) ?? [];
  return own ?? place;
}

const bundles = new Map();

/** Which file a line of a bundle comes from. */
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
