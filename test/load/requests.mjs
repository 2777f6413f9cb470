// Single requests of users, and what each may never take back that it has shown.
import { randomUUID } from 'node:crypto';

const statusRank = ['queued', 'running', 'stopping', 'awaiting_approval', 'completed', 'failed', 'aborted'];
const ended = statusRank.indexOf('completed');
const pageLength = 20;

/** Of a hundred requests: how each is asked, and what its answer shows. Reads are lists and look-ups of read models; a run is executed besides. */
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

/** One user, what it was shown so far, and what it has that requests can be about. */
export class Caller {
  /** By what it is of: never less than this is shown again. */
  shown = new Map();
  conversations = [];
  fresh = [];
  runs = [];

  constructor(user) {
    this.user = user;
  }

  /** A kind of request by chance; of those that it has something for. */
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

  /** Asks. @returns {Promise<string[]>} what was older than what this user had been shown before it asked, in words */
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

/** A list that is looked at for its time alone. */
function lookAt(path) {
  return async ({ user }) => {
    await user.get(path);
    return [];
  };
}

async function getRun({ user, runs }) {
  return [markOfRun(await user.get(`/agent-runs/${runs[Math.floor(Math.random() * runs.length)]}`))];
}

/** How far a run is; one end is as far as another. */
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
