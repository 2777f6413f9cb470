import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { NO_STREAM } from '@eventstore/db-client';
import { newConversation, streamOf } from '../conversations.mjs';
import { cpuFigure, cpuMeter } from '../cpu.mjs';
import { post } from '../http-client.mjs';
import { watchJournal } from '../journal-watch.mjs';
import { percentile } from '../measuring.mjs';
import { startBaseline } from '../processes.mjs';
import { startRestate } from '../restate.mjs';

const appendsPerStep = 3;
const pauseMs = 20;
const name = 'a durable agent step (rules model, a tool without effect)';

/**
 * One step, from the arrival of `run.started` in the journal until the arrival of its `tool.returned`: the claim, the
 * checks, the model, the append of step and call, the tool, and the append of its return. The baseline appends three of
 * those events raw, one after the other, with the same client to the same store.
 */
export const agentStep = {
  number: 9,
  name,
  against: `${appendsPerStep} raw appends`,
  figures: [{ key: 'p50', unit: 'ms', better: 'less', aim: 1, floor: 1.5 }],

  async open(deployment, { agentRuns }) {
    const steps = await openSteps(deployment, agentRuns);
    return {
      ours: () => steps.measure(),
      baseline: async () => ({ p50: percentile(await rawAppends(deployment.client, steps, agentRuns), 0.5) }),
      close: async () => undefined,
    };
  },
};

/**
 * The same step, against a step of a workflow that DBOS makes durable in the same PostgreSQL, timed inside the
 * workflow.
 */
export const dbosStep = {
  number: 9,
  name,
  against: 'one DBOS step',
  figures: [
    { key: 'p50', unit: 'ms', better: 'less', aim: 1, floor: 2 },
    cpuFigure('CPU of a run of that step, one at a time', { against: 'a DBOS workflow of one step behind Fastify' }),
  ],

  async open(deployment, { agentRuns }) {
    const steps = await openSteps(deployment, agentRuns);
    const dbos = await startBaseline('dbos', deployment.baselineEnv);
    const { userId, headers } = steps.user;
    const step = () => post(`${dbos.url}/users/${userId}/steps`, headers);
    const processes = { server: dbos.child.pid, PostgreSQL: deployment.postgresPid };
    return {
      ours: () => steps.measure(),
      baseline: () => timeSteps(step, agentRuns, processes),
      close: () => dbos.stop(),
    };
  },
};

/** The same step, against one that Restate's server makes durable in its own journal, timed inside the invocation. */
export const restateStep = {
  number: 9,
  name,
  against: 'one Restate step',
  figures: [{ key: 'p50', unit: 'ms', better: 'less', aim: 1, floor: 2 }],

  async open(deployment, { agentRuns }) {
    const steps = await openSteps(deployment, agentRuns);
    const restate = await startRestate();
    return {
      ours: () => steps.measure(),
      baseline: () => timeSteps(restate.step, agentRuns, restate.processes),
      close: () => restate.close(),
    };
  },
};

/** The rules model calls the tool at once. The limit of steps keeps it from writing about the result, word by word. */
const oneStep = { input: { text: 'what time is it' }, profile: { maxSteps: 1 } };

/** Runs that call a tool, one after the other. */
async function openSteps({ client, processes, newUser }, runs) {
  const user = await newUser('agent-step');
  let sample = [];
  return {
    user,
    /** The events that one step appended in the last run, for the raw appends. */
    sample: () => sample,
    async measure() {
      // Each turn uses a new conversation, so that no turn meets a longer journal than another.
      const id = await newConversation(user);
      const journal = watchJournal(client, id);
      const step = async () => {
        await post(`${user.url}/agent-runs`, user.headers, { conversationId: id, ...oneStep });
        const started = await journal.until(({ type }) => type === 'run.started');
        const returned = await journal.until(({ type }) => type === 'tool.returned');
        await journal.until(({ type }) => type === 'run.ended');
        return { tookMs: returned.atMs - started.atMs };
      };
      const figures = await timeSteps(step, runs, processes);
      await journal.close();
      sample = await stepEvents(client, id);
      return figures;
    },
  };
}

/** Times steps one after the other. Returns the median duration and the CPU per step of everything that happened. */
async function timeSteps(step, count, processes) {
  const cpu = await cpuMeter(processes);
  const tookMs = [];
  for (let done = 0; done < count; done += 1) {
    tookMs.push((await step()).tookMs);
    // The work that the end of a run leaves behind must not fall into the next step.
    await sleep(pauseMs);
  }
  return { p50: percentile(tookMs, 0.5), ...(await cpu.perOperation(count)) };
}

/** The events of the first step in a conversation: step, call and return. */
async function stepEvents(client, id) {
  const events = [];
  for await (const { event } of client.readStream(streamOf(id), { maxCount: 20 })) if (event) events.push(event);
  const first = events.findIndex(({ type }) => type === 'agent.step');
  return events.slice(first, first + appendsPerStep);
}

async function rawAppends(client, steps, rounds) {
  const stream = `benchmark-${randomUUID()}`;
  let expectedRevision = NO_STREAM;
  const tookMs = [];
  for (let round = 0; round < rounds; round += 1) {
    const startedMs = performance.now();
    for (const { type, data, metadata } of steps.sample()) {
      const event = { id: randomUUID(), contentType: 'application/json', type, data, metadata };
      const { nextExpectedRevision } = await client.appendToStream(stream, event, { expectedRevision });
      expectedRevision = nextExpectedRevision;
    }
    tookMs.push(performance.now() - startedMs);
  }
  return tookMs;
}
