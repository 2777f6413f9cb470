import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { newConversation } from '../conversations.mjs';
import { watchJournal } from '../journal-watch.mjs';
import { percentile } from '../measuring.mjs';

const pauseMs = 50;

/**
 * From the user's decision, over HTTP, until the run that waited for it goes on and its call has returned to the journal: once without
 * anything for the tool to do (a denial takes the way of an approval, up to the tool), and once with the approved transfer, which the
 * provider has accepted by then. Against a graph that waits in a node and is resumed by a library in this process, until the
 * node's checkpoint is in the same PostgreSQL; that node has nothing to do either.
 */
export const resume = {
  number: 10,
  name: 'decision until the resumed step is in the journal',
  against: "LangGraph's PostgreSQL resume",
  figures: [
    { key: 'p50', unit: 'ms', better: 'less', aim: 0.7, floor: 1 },
    {
      name: 'the same, and the approved transfer is with the provider',
      key: 'p50Transfer',
      unit: 'ms',
      better: 'less',
      aim: 0.7,
      floor: 1,
    },
  ],

  async open(deployment, { approvals }) {
    const user = await deployment.newUser('resume');
    await user.post('/wallet');
    const graph = await openGraph(deployment.baselineDatabaseUrl);
    return {
      ours: () => decideMany(deployment, user, approvals),
      baseline: async () => {
        const p50 = percentile(await graph.timeResumes(approvals), 0.5);
        return { p50, p50Transfer: p50 };
      },
      close: () => graph.close(),
    };
  },
};

/** The rules model looks at the balance, and asks for the transfer; what it would say in the end is left out by the limit. */
const transfer = { input: { text: 'withdraw 0.01 USDC' }, profile: { maxSteps: 2 } };

/** Runs that each ask for a transfer of a hundredth, one after the other in one conversation; every other one is approved. */
async function decideMany({ client }, user, count) {
  const id = await newConversation(user);
  const journal = watchJournal(client, id);
  const is = (wanted) => (event) => event.type === wanted;
  const took = { ok: [], denied: [] };
  for (let done = 0; done < 2 * count; done += 1) {
    await user.post('/agent-runs', { conversationId: id, ...transfer });
    const { approvalId, fingerprint } = (await journal.until(is('approval.opened'))).event.data;
    await journal.until(is('run.suspended'));
    // Nobody decides what he has not seen; what the wait itself leaves to do is done when he does.
    await user.get(`/approvals/${approvalId}`);
    await sleep(pauseMs);
    const startedMs = performance.now();
    const path = `/approvals/${approvalId}`;
    const decided = done % 2 === 0 ? user.post(`${path}/deny`) : user.post(`${path}/approve`, { fingerprint });
    const { event, atMs } = await journal.until(is('tool.returned'));
    await decided;
    took[event.data.outcome].push(atMs - startedMs);
    await journal.until(is('run.ended'));
  }
  await journal.close();
  return { p50: percentile(took.denied, 0.5), p50Transfer: percentile(took.ok, 0.5) };
}

/** A graph of one node that interrupts itself for a decision. */
async function openGraph(connectionString) {
  const { Annotation, Command, END, interrupt, START, StateGraph } = await import('@langchain/langgraph');
  const { PostgresSaver } = await import('@langchain/langgraph-checkpoint-postgres');
  const checkpointer = PostgresSaver.fromConnString(connectionString);
  await checkpointer.setup();
  const state = Annotation.Root({ amountRaw: Annotation(), decision: Annotation() });
  const graph = new StateGraph(state)
    .addNode('transfer', ({ amountRaw }) => ({ decision: interrupt({ tool: 'transfer', amountRaw }) }))
    .addEdge(START, 'transfer')
    .addEdge('transfer', END)
    .compile({ checkpointer });
  return {
    timeResumes: async (count) => {
      const tookMs = [];
      for (let done = 0; done < count; done += 1) {
        const config = { configurable: { thread_id: randomUUID() } };
        await graph.invoke({ amountRaw: '10000' }, config);
        const startedMs = performance.now();
        const { decision } = await graph.invoke(new Command({ resume: 'approved' }), config);
        if (decision !== 'approved') throw new Error(`the graph ended with ${decision}`);
        tookMs.push(performance.now() - startedMs);
      }
      return tookMs;
    },
    close: () => checkpointer.end(),
  };
}
