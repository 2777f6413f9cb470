// npm run bench: every benchmark next to its baseline, in one run. This process makes the load; the measured programs
// run in others. Options: see options.mjs, or --help.
import { spawnSync } from 'node:child_process';
import { cpus, loadavg } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { agentStep, dbosStep, restateStep } from './benchmarks/agent-step.mjs';
import { append } from './benchmarks/append.mjs';
import { create } from './benchmarks/create.mjs';
import { events } from './benchmarks/events.mjs';
import { fanOut } from './benchmarks/fan-out.mjs';
import { firings, plainJobs } from './benchmarks/firings.mjs';
import { approvalsList, runsList } from './benchmarks/lists.mjs';
import { idleStreams } from './benchmarks/idle-streams.mjs';
import { latency } from './benchmarks/latency.mjs';
import { longJournal } from './benchmarks/long-conversation.mjs';
import { me } from './benchmarks/me.mjs';
import { caughtUpByFour, caughtUpByTwo, projections } from './benchmarks/projections.mjs';
import { logAgainstHashing, logBesideWrites, logFromZero } from './benchmarks/proof.mjs';
import { rebuildAtSaturation, rebuilds } from './benchmarks/rebuilds.mjs';
import { resume } from './benchmarks/resume.mjs';
import { decide } from './benchmarks/streams.mjs';
import { manySubscribers } from './benchmarks/subscribers.mjs';
import { wholeRuns } from './benchmarks/whole-runs.mjs';
import { startDeployment } from './deployment.mjs';
import { inTurns } from './measuring.mjs';
import { readOptions } from './options.mjs';
import { profileInto, profileSummary } from './profiles.mjs';
import { cpuPartsOf, rowsOf, tableOf, writeReport } from './report.mjs';

const benchmarks = [
  create,
  decide,
  append,
  me,
  runsList,
  approvalsList,
  events,
  fanOut,
  latency,
  agentStep,
  dbosStep,
  restateStep,
  resume,
  rebuilds,
  rebuildAtSaturation,
  firings,
  plainJobs,
  idleStreams,
  longJournal,
  wholeRuns,
  projections,
  caughtUpByTwo,
  caughtUpByFour,
  manySubscribers,
  logFromZero,
  logAgainstHashing,
  logBesideWrites,
];
const folder = path.dirname(fileURLToPath(import.meta.url));
const resultsFolder = path.join(folder, 'results');

const full = {
  rounds: 5,
  seconds: 4,
  journalEvents: 50_000,
  streams: 1_000,
  frames: 200,
  pacedFrames: 40,
  latencyAppends: 1_000,
  manyRows: 1_000_000,
  fewRows: 10_000,
  agentRuns: 150,
  approvals: 60,
  automations: 400,
  runs: 1_500,
  burstEvents: 20_000,
  backlogEvents: 60_000,
  rebuiltEvents: 100_000,
  loggedEvents: 60_000,
};
const quick = {
  rounds: 1,
  seconds: 0.5,
  journalEvents: 2_000,
  streams: 50,
  frames: 20,
  pacedFrames: 5,
  latencyAppends: 50,
  manyRows: 20_000,
  fewRows: 2_000,
  agentRuns: 10,
  approvals: 5,
  automations: 20,
  runs: 100,
  burstEvents: 1_000,
  backlogEvents: 8_000,
  rebuiltEvents: 2_000,
  loggedEvents: 4_000,
};

const options = readOptions(process.argv.slice(2));

const effort = { ...(options.quick ? quick : full), ...(options.rounds && { rounds: Number(options.rounds) }) };
const asked = options.only?.split(',').map(Number);
/** A benchmark may have figures that count as another's: 17 is the CPU of several. */
const isAsked = ({ number }) => asked?.includes(number) ?? true;
const chosen = benchmarks.filter((benchmark) => isAsked(benchmark) || benchmark.figures.some(isAsked));

const endProfile = options.profile === undefined ? undefined : await profileInto(options.profile);
const deployment = await startDeployment();
for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => void deployment.stop().then(() => process.exit(1)));
try {
  const rows = [];
  for (const benchmark of chosen) {
    console.log(`${benchmark.number} ${benchmark.name}, against ${benchmark.against} ...`);
    rows.push(...rowsOf(benchmark, await measure(benchmark)));
  }
  rows.sort((one, other) => one.number - other.number);
  console.log(`\n${tableOf(rows)}\n\n${cpuPartsOf(rows)}\n`);
  if (!options.quick && asked === undefined) writeReport(resultsFolder, { machine: machine(), rows });
} finally {
  await deployment.stop();
}
if (endProfile !== undefined) {
  await endProfile();
  console.log(profileSummary());
}

async function measure(benchmark) {
  const opened = await benchmark.open(deployment, effort);
  try {
    return await inTurns(opened, effort.rounds);
  } finally {
    await opened.close();
  }
}

function machine() {
  const [first, ...others] = cpus();
  return {
    at: new Date().toISOString(),
    commit: commit(),
    node: process.version,
    cpu: first.model,
    cores: others.length + 1,
    rounds: effort.rounds,
    // Other work of the machine shows in the load: a load above the number of cores is a noisy run.
    load: loadavg()[1],
  };
}

/** The commit that is checked out; a build outside a repository has none. */
function commit() {
  const { stdout, status } = spawnSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: folder, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : 'an unknown commit';
}
