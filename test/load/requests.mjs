// Single requests of users, and a check that no answer shows an older state than an earlier one.
import { randomUUID } from 'node:crypto';

const statusRank = ['queued', 'running', 'stopping', 'awaiting_approval', 'completed', 'failed', 'aborted'];
const ended = statusRank.indexOf('completed');
const pageLength = 20;

/**
 * Shares in percent of all requests, with the function that makes each and returns what its answer shows. The reads are
 * of lists and single rows of read models; the last kind executes a run.
 */
const mix = [
  { kind: 'list conversations', share: 20, ask: listConversations },
  { kind: 'list runs', share: 15, ask: listRuns },
  { kind: 'list activity', share: 10, ask: lookAt('/activity') },
  { kind: 'list approvals', share: 10, ask: lookAt('/approvals?status=all') },
  { kind: 'get run', share: 15, ask: getRun },
  { kind: 'create', share: 12, ask: create },
  { kind: 'rename', share: 12, ask: rename },
  { kind: 'start run', share: 6, ask: startRun },
];

/** One user, the state that it was shown so far, and the resources that requests can refer to. */
export class Caller {
  /** The largest value shown for each subject. No smaller one may be shown after it. */
  shown = new Map();
  conversations = [];
  fresh = [];
  runs = [];

  constructor(user) {
    this.user = user;
  }

  /** A random kind of request, replaced by a creation if the user has no resource for it yet. */
  pick() {
    let ticket = Math.random() * mix.reduce((sum, { share }) => sum + share, 0);
    const found = mix.find(({ share }) => (ticket -= share) < 0) ?? mix[0];
    return this.canAsk(found.kind) ? found : mix.find(({ kind }) => kind === 'create');
  }

  canAsk(kind) {
    if (kind === 'get run') return this.runs.length > 0;
    if (kind === 'rename') return this.conversations.length > 0;
    return kind !== 'start run' || this.fresh.length > 0;
  }

  /**
   * Makes the request.
   * @returns {Promise<string[]>} everything in the answer that is older than what the user was shown before the
   * request, in words
   */
  async ask({ ask }) {
    const before = new Map(this.shown);
    const marks = await ask(this);
    const older = [];
    for (const [of, mark] of marks) {
      if (mark < (before.get(of) ?? mark)) older.push(`${of} was ${before.get(of)}, and then ${mark}`);
      if (mark > (this.shown.get(of) ?? -1)) this.shown.set(of, mark);
    }
    return older;
  }
}

async function listConversations({ user }) {
  const { data, total } = await user.get(`/conversations?limit=${pageLength}`);
  return [['conversations', total], ...data.map(({ id, lastSeq }) => [`last event of conversation ${id}`, lastSeq])];
}

async function listRuns({ user }) {
  const { data, total } = await user.get(`/agent-runs?limit=${pageLength}`);
  return [['runs', total], ...data.map(markOfRun)];
}

/** Reads a list only for its latency. */
function lookAt(path) {
  return async ({ user }) => {
    await user.get(path);
    return [];
  };
}

async function getRun({ user, runs }) {
  return [markOfRun(await user.get(`/agent-runs/${runs[Math.floor(Math.random() * runs.length)]}`))];
}

/** The progress of a run; all final states are equal. */
const markOfRun = ({ id, status }) => [`state of run ${id}`, Math.min(ended, statusRank.indexOf(status))];

async function create(caller) {
  const { id } = await caller.user.post('/conversations', { title: 'Good morning' });
  caller.conversations.push(id);
  caller.fresh.push(id);
  return [];
}

async function rename({ user, conversations }) {
  const id = conversations[Math.floor(Math.random() * conversations.length)];
  await user.ask('PATCH', `/conversations/${id}`, { title: `Good morning ${Math.floor(Math.random() * 1_000_000)}` });
  return [];
}

async function startRun(caller) {
  const asked = {
    conversationId: caller.fresh.shift(),
    runId: randomUUID(),
    input: { text: 'repeat after me: good morning' },
  };
  const { runId } = await caller.user.post('/agent-runs', asked);
  caller.runs.push(runId);
  return [];
}
