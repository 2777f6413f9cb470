// A rebuild of every read model by the command line, interrupted by kills.
import { setTimeout as sleep } from 'node:timers/promises';
import { parley } from './operator.mjs';

/** Each poll is several requests of an operator, which affect the measured latencies. */
const lookAgainMs = 500;
const giveAgainMs = 500;
const withinMs = 3_600_000;
const words = ['projections', 'rebuild', '--all', '--watch', '--yes', '--reason', 'the load asks for it', '--json'];

/** The moments at which the process that rebuilds is killed, and whether the command line is killed as well. */
const stages = [
  { name: 'a fifth is built', isHere: (rebuilds) => built(rebuilds) >= 0.2, killsCommand: true },
  { name: 'two thirds are built', isHere: (rebuilds) => built(rebuilds) >= 0.65, killsCommand: false },
  {
    name: 'all are built and the first is compared',
    isHere: (rebuilds) =>
      built(rebuilds) === 1 && rebuilds.some(({ state }) => state === 'comparing' || state === 'ready'),
    killsCommand: true,
  },
];

/**
 * Runs the command to its end. Each stage kills the process that leads the rebuilds, which is started again; some also
 * kill the command, which is then issued again.
 * @returns the kills, the total duration, and the final state of each rebuild
 */
export async function rebuildKilled({ deployment, operator, requests, projections, tell }) {
  const { baseUrl, parts } = deployment;
  const startedMs = performance.now();
  const command = new Command(baseUrl, operator);
  const kills = [];
  for (const { name, isHere, killsCommand } of stages) {
    const rebuilds = await untilStage(operator, projections, isHere, command);
    if (rebuilds === null) break;
    const leader = await leaderOf(operator, parts);
    if (killsCommand) command.kill();
    tell(`killed when ${name}: ${states(rebuilds)}`);
    const killedMs = performance.now();
    await requests.killing(() => parts.replace(leader));
    kills.push({ stage: name, states: states(rebuilds), backMs: Math.round(performance.now() - killedMs) });
    if (killsCommand) command.give();
  }
  const { code, stdout, stderr } = await command.ended();
  if (code !== 0) throw new Error(`the command ended with ${code}:\n${stderr}`);
  const { data } = JSON.parse(stdout);
  const seconds = Math.round((performance.now() - startedMs) / 1000);
  tell(`rebuilt in ${seconds} s: ${states(data)}`);
  const rebuilds = data.map(({ projection, state, differences, position }) => ({
    projection,
    state,
    differences,
    position,
  }));
  return { kills, seconds, rebuilds };
}

/**
 * The command, as issued by an operator who repeats it if the service does not answer: by itself it waits only for a
 * service that it has reached before.
 */
class Command {
  end = null;

  constructor(baseUrl, operator) {
    this.parley = () => parley(baseUrl, operator, words);
    this.give();
  }

  give() {
    const running = this.parley();
    this.running = running;
    void running.ended.then(async (end) => {
      if (this.running !== running) return; // it was killed, and issued again
      if (end.code !== 1 || !end.stderr.includes('is the service started?')) return (this.end = end);
      await sleep(giveAgainMs);
      this.give();
    });
  }

  kill() {
    this.running.kill();
    this.running = null;
  }

  async ended() {
    while (this.end === null) await sleep(lookAgainMs);
    return this.end;
  }
}

/**
 * Switches to every table that was rebuilt.
 * @throws Error if a switch is refused
 */
export async function switchAll(operator, projections) {
  const ready = newest(await operator.rebuilds(), projections).filter(({ state }) => state === 'ready');
  for (const { rebuildId, projection } of ready) {
    const { status, body } = await operator.change(`/rebuilds/${rebuildId}/switch`, {});
    if (status >= 300) throw new Error(`the switch of ${projection} is refused: ${status} ${JSON.stringify(body)}`);
  }
  return ready;
}

/** Returns null if the command ends before the stage is reached: a small rebuild takes only a moment. */
async function untilStage(operator, projections, isHere, command) {
  const deadlineMs = performance.now() + withinMs;
  for (;;) {
    const rebuilds = newest(await operator.rebuilds(), projections);
    if (rebuilds.length === projections.length && isHere(rebuilds)) return rebuilds;
    if (command.end !== null) return null;
    if (performance.now() > deadlineMs) throw new Error(`the rebuild does not get on: ${states(rebuilds)}`);
    await sleep(lookAgainMs);
  }
}

/** The live process that leads the rebuilds. A killed process disappears from the list only after some seconds. */
async function leaderOf(operator, { workers }) {
  for (;;) {
    const { processes } = await operator.deployment();
    const leader = processes.find(({ processId, leads }) => workers.has(processId) && leads.includes('rebuilds'));
    if (leader !== undefined) return leader.processId;
    await sleep(lookAgainMs);
  }
}

/** The newest rebuild of each read model; the API lists the newest first. */
function newest(rebuilds, projections) {
  return projections.flatMap((name) => rebuilds.find(({ projection }) => projection === name) ?? []);
}

/** The share of the store that the slowest rebuild has processed. */
const built = (rebuilds) =>
  Math.min(
    ...rebuilds.map(({ state, position, target }) => (state === 'building' ? position / Math.max(1, target) : 1)),
  );

/** The number of rebuilds in each state. */
function states(rebuilds) {
  const counts = new Map();
  for (const { state } of rebuilds) counts.set(state, (counts.get(state) ?? 0) + 1);
  return [...counts].map(([state, count]) => `${count} ${state}`).join(', ');
}
