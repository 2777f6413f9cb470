import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { NO_STREAM } from '@eventstore/db-client';
import { newConversation, streamOf } from '../conversations.mjs';
import { watchJournal } from '../journal-watch.mjs';
import { percentile } from '../measuring.mjs';

const appendsPerStep = 3;
const pauseMs = 20;
const name = 'a durable agent step (rules model, a tool without effect)';

/**
 * One step: from the claim's arrival in the journal until the return of its tool call arrives there, so the checks before it, the
 * model, the append of step and call, the tool, and the append of its return; against three of those events appended raw, one after
 * the other, by the same client to the same store.
 */
export const agentStep = {
  number: 9,
  name,
  against: `${appendsPerStep} raw appends`,
  figures: [{ key: 'p50', unit: 'ms', better: 'less', aim: 1.5, floor: 2.5 }],

  async open(deployment, { agentRuns }) {
    const steps = await openSteps(deployment, agentRuns);
    return {
      ours: () => steps.measure(),
      baseline: async () => ({ p50: percentile(await rawAppends(deployment.client, steps, agentRuns), 0.5) }),
      close: async () => undefined,
    };
  },
};

/** The same step; against a step of a workflow that DBOS makes durable in the same PostgreSQL. */
export const dbosStep = {
  number: 9,
  name,
  against: 'one DBOS step',
  figures: [{ key: 'p50', unit: 'ms', better: 'less', aim: 1, floor: 2.5 }],

  async open(deployment, { agentRuns }) {
    const steps = await openSteps(deployment, agentRuns);
    const dbos = await openDbos(deployment.baselineDatabaseUrl);
    return {
      ours: () => steps.measure(),
      baseline: async () => ({ p50: percentile(await dbos.timeSteps(agentRuns), 0.5) }),
      close: () => dbos.close(),
    };
  },
};

/** The rules model calls the tool at once; what it would say about the result, word by word, is left out by the limit. */
const oneStep = { input: { text: 'what time is it' }, profile: { maxSteps: 1 } };

/** Runs that call a tool, one after the other. */
async function openSteps(deployment, runs) {
  const user = await deployment.newUser('agent-step');
  let sample = [];
  return {
    /** What one step appended in the last run: what the store was given. */
    sample: () => sample,
    async measure() {
      // A new one each turn, so that no turn meets a longer journal than another.
      const id = await newConversation(user);
      const journal = watchJournal(deployment.client, id);
      const tookMs = [];
      for (let count = 0; count < runs; count += 1) {
        await user.post('/agent-runs', { conversationId: id, ...oneStep });
        const claimed = await journal.until(({ type }) => type === 'run.claimed');
        const returned = await journal.until(({ type }) => type === 'tool.returned');
        await journal.until(({ type }) => type === 'run.ended');
        tookMs.push(returned.atMs - claimed.atMs);
        // What the end of the run leaves to do is none of the next one's.
        await sleep(pauseMs);
      }
      await journal.close();
      sample = await stepEvents(deployment.client, id);
      return { p50: percentile(tookMs, 0.5) };
    },
  };
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

/** DBOS as a library in this process; its step does what the tool does, which is to tell the time. */
async function openDbos(systemDatabaseUrl) {
  const { DBOS } = await import('@dbos-inc/dbos-sdk');
  DBOS.setConfig({ name: 'bench', systemDatabaseUrl, runAdminServer: false, logLevel: 'error' });
  const workflow = DBOS.registerWorkflow(
    async (steps) => {
      const tookMs = [];
      for (let count = 0; count < steps; count += 1) {
        const startedMs = performance.now();
        await DBOS.runStep(async () => ({ time: new Date().toISOString() }), { name: 'time' });
        tookMs.push(performance.now() - startedMs);
      }
      return tookMs;
    },
    { name: 'steps' },
  );
  await DBOS.launch();
  return { timeSteps: (steps) => workflow(steps), close: () => DBOS.shutdown() };
}
