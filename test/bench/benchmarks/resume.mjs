import { setTimeout as sleep } from 'node:timers/promises';
import { newConversation } from '../conversations.mjs';
import { post } from '../http-client.mjs';
import { watchJournal } from '../journal-watch.mjs';
import { percentile } from '../measuring.mjs';
import { startBaseline } from '../processes.mjs';

const pauseMs = 50;

/**
 * From the user's decision over HTTP until the journal has the result of the call: a denial, which is its own result,
 * and an approved transfer, which the provider has accepted by then. The baseline is a graph that waits in a node and
 * is resumed by the same request to a server with the same checks, until that node's checkpoint is in the same
 * PostgreSQL; the resumed node has nothing to do.
 */
export const resume = {
  number: 10,
  name: 'a denial until its result is in the journal',
  against: "LangGraph's PostgreSQL resume behind Fastify",
  figures: [
    { key: 'p50', unit: 'ms', better: 'less', aim: 1, floor: 1.5 },
    {
      name: 'an approval until its transfer is with the provider',
      key: 'p50Transfer',
      unit: 'ms',
      better: 'less',
      aim: 4,
      floor: 6,
    },
  ],

  async open(deployment, { approvals }) {
    const user = await deployment.newUser('resume');
    await user.post('/wallet');
    const graphs = await startBaseline('langgraph', deployment.baselineEnv);
    const bareUser = { url: `${graphs.url}/users/${user.userId}`, headers: user.headers };
    return {
      ours: () => decideMany(deployment, user, approvals),
      baseline: async () => {
        const p50 = await resumeMany(bareUser, approvals);
        return { p50, p50Transfer: p50 };
      },
      close: () => graphs.stop(),
    };
  },
};

/** The rules model reads the balance and requests the transfer. The limit of steps leaves out its closing message. */
const transfer = { input: { text: 'withdraw 0.01 USDC' }, profile: { maxSteps: 2 } };

/**
 * Runs that each request a transfer of a hundredth, one after the other in one conversation. Every other one is
 * approved.
 */
async function decideMany({ client }, user, count) {
  const id = await newConversation(user);
  const journal = watchJournal(client, id);
  const is = (wanted) => (event) => event.type === wanted;
  const took = { ok: [], denied: [] };
  for (let done = 0; done < 2 * count; done += 1) {
    await user.post('/agent-runs', { conversationId: id, ...transfer });
    const { approvalId, fingerprint } = (await journal.until(is('approval.opened'))).event.data;
    await journal.until(is('run.suspended'));
    // A user reads an approval before deciding on it. The pause lets the work that the suspension leaves behind finish.
    await user.get(`/approvals/${approvalId}`);
    await sleep(pauseMs);
    const startedMs = performance.now();
    const url = `${user.url}/approvals/${approvalId}`;
    const approved = done % 2 === 1;
    const decided = approved
      ? post(`${url}/approve`, user.headers, { fingerprint })
      : post(`${url}/deny`, user.headers);
    const { event, atMs } = await journal.until(is('tool.returned'));
    await decided;
    took[event.data.outcome].push(atMs - startedMs);
    await journal.until(is('run.ended'));
  }
  await journal.close();
  return { p50: percentile(took.denied, 0.5), p50Transfer: percentile(took.ok, 0.5) };
}

/**
 * Graphs that each wait for a decision, decided one after the other. The answer comes once the result is in the graph's
 * checkpoint.
 */
async function resumeMany({ url, headers }, count) {
  const tookMs = [];
  for (let done = 0; done < count; done += 1) {
    const { id } = await post(`${url}/agent-runs`, headers);
    await sleep(pauseMs);
    const startedMs = performance.now();
    await post(`${url}/approvals/${id}/deny`, headers);
    tookMs.push(performance.now() - startedMs);
  }
  return percentile(tookMs, 0.5);
}
