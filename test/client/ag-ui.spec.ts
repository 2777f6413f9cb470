import { conversationOf, journal, newOwner, operationsOf, prompt, providerFault, start } from '@app/testing/journeys';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import type { TestClient } from '@app/testing/client';
import { startAgUiPartner, type AgUiPartner } from './ag-ui-partner';
import { AgUiUser, yes } from './ag-ui-user';
import { clientOf } from './clients';

let deployment: Deployment;
let owner: TestClient;
let partner: AgUiPartner;
beforeAll(async () => {
  deployment = await startDeployment({ mode: 'in-process' });
  await providerFault(deployment, prompt);
  owner = await newOwner(deployment);
  partner = await startAgUiPartner(clientOf(owner));
});
afterAll(async () => {
  await partner?.stop();
  await deployment?.stop();
});

async function userOf(url = partner.origin): Promise<AgUiUser> {
  return new AgUiUser(url, await conversationOf(owner));
}

/** A new client, synchronized with the conversation. */
async function reloaded({ agent }: AgUiUser): Promise<AgUiUser> {
  const fresh = new AgUiUser(partner.origin, agent.threadId);
  await fresh.follow();
  return fresh;
}

/** Role and text of each message, as a page shows them. */
const shown = ({ agent }: AgUiUser) =>
  agent.messages.map((one) => [one.role, 'toolCalls' in one ? one.toolCalls?.[0]?.function.name : one.content]);

describe('an AG-UI client, before a partner’s server', () => {
  it('starts a run with its message, hears the words as they come, and has the answer once', async () => {
    const user = await userOf();
    const heard: string[] = [];
    user.agent.subscribe({ onTextMessageContentEvent: ({ event }) => void heard.push(event.delta) });
    await user.say('repeat after me: one two three four five');
    expect(shown(user)).toEqual([
      ['user', 'repeat after me: one two three four five'],
      ['assistant', 'one two three four five'],
    ]);
    expect(heard.length).toBeGreaterThan(1);
    expect(shown(await reloaded(user))).toEqual(shown(user));
    await user.say('repeat after me: six');
    expect(shown(user).at(-1)).toEqual(['assistant', 'six']);
    expect(shown(await reloaded(user))).toEqual(shown(user));
  });

  it('gives a client its cursor after all that the cursor stands for, so that a cut between loses nothing', async () => {
    const user = await userOf();
    await user.say('repeat after me: one');
    const body = JSON.stringify({ threadId: user.agent.threadId, runId: 'r', messages: [], tools: [], context: [] });
    const text = await (await fetch(partner.origin, { method: 'POST', body })).text();
    expect([...text.matchAll(/"type":"([A-Z_]+)"/g)].map(([, type]) => type)).toEqual([
      'RUN_STARTED',
      'MESSAGES_SNAPSHOT',
      'STATE_SNAPSHOT',
      'RUN_FINISHED',
    ]);
  });

  it('starts one run for one message, however often it is sent, and whatever its id is like', async () => {
    const user = await userOf();
    const again = new AgUiUser(partner.origin, user.agent.threadId);
    await Promise.all([user.say('what is my balance', 'msg_1'), again.say('what is my balance', 'msg_1')]);
    await new AgUiUser(partner.origin, user.agent.threadId).say('what is my balance', 'msg_1');
    const starts = (await journal(owner, user.agent.threadId)).filter(({ payload }) => payload.type === 'run.started');
    expect(starts).toHaveLength(1);
  });

  it('asks for consent by an interrupt with summary, terms, fingerprint and expiry, and moves money once it is given', async () => {
    const user = await userOf();
    const before = await operationsOf(owner);
    await user.say('withdraw 1.5 USDC');
    const [interrupt] = user.agent.pendingInterrupts;
    expect(interrupt).toMatchObject({
      reason: 'tool_call',
      message: expect.stringContaining('1.5 USDC'),
      toolCallId: expect.any(String),
      expiresAt: expect.any(String),
      metadata: { parley: { tool: 'intents_transfer', fingerprint: expect.stringMatching(/^sha256:/) } },
    });
    expect(interrupt?.metadata?.['parley'].terms[0]).toEqual({ name: 'what', text: expect.stringContaining('USDC') });
    expect((await reloaded(user)).agent.pendingInterrupts).toEqual(user.agent.pendingInterrupts);

    await user.answer(yes);
    expect(user.agent.pendingInterrupts).toEqual([]);
    const [operation] = (await operationsOf(owner)).filter(({ id }) => before.every((known) => known.id !== id));
    expect(user.agent.state.parley.operations).toMatchObject({ [operation!.id]: { status: 'settled' } });
    expect([...user.told.values()].map(({ name }) => name)).toEqual([
      'parley.approval.decided',
      'parley.operation.submitted',
      'parley.settlement.updated',
    ]);
    const fresh = await reloaded(user);
    expect(shown(fresh)).toEqual(shown(user));
    expect(fresh.agent.state).toEqual(user.agent.state);
  });

  it('takes nothing but the very fingerprint for consent, and asks again', async () => {
    const user = await userOf();
    await user.say('withdraw 1.5 USDC');
    const asked = user.agent.pendingInterrupts;
    for (const payload of [{ approved: true }, { approved: true, fingerprint: 'sha256:0' }, { approved: 'yes' }, {}]) {
      await user.answer(() => payload);
      expect(user.agent.pendingInterrupts).toEqual(asked);
    }
    expect(user.refused.map(({ reason }) => reason)).toEqual(Array(4).fill('invalid_input'));
    await user.answer(() => ({ approved: false, reason: 'too much' }));
    expect(user.agent.pendingInterrupts).toEqual([]);
    expect(shown(user)).toContainEqual(['tool', expect.stringContaining('too much')]);
  });

  it('asks again when an answer cannot be taken now, and takes it afterwards', async () => {
    const user = await userOf();
    await user.say('withdraw 1.5 USDC');
    const impatient = clientOf(owner, owner.baseUrl, { attempts: 1 });
    const other = await startAgUiPartner(impatient);
    await deployment.sandbox('PUT', 'faults', { model: { delayMs: 1_500 } });
    await start(owner, user.agent.threadId, 'repeat after me: meanwhile something else is said');
    user.agent.url = other.origin;
    await user.answer(yes);
    expect(user.refused).toEqual([expect.objectContaining({ reason: 'run_active', retryable: true })]);
    expect(user.agent.pendingInterrupts).toHaveLength(1);
    await deployment.sandbox('PUT', 'faults', { model: { delayMs: 0 } });
    await user.answer(yes);
    expect([user.agent.pendingInterrupts, user.refused.length]).toEqual([[], 1]);
    await other.stop();
  });

  it('starts nothing with a new message while an approval waits, and takes it once that is answered', async () => {
    const [user, other] = [await userOf(), await userOf()];
    const tab = await reloaded(user);
    await user.say('withdraw 1.5 USDC');
    const open = user.agent.pendingInterrupts;
    // The client itself refuses to send one if it knows of the interrupt.
    user.agent.addMessage({ id: crypto.randomUUID(), role: 'user', content: 'what time is it' });
    await expect(user.agent.runAgent()).rejects.toThrow('pending interrupt');

    const id = crypto.randomUUID();
    await tab.say('repeat after me: now', id);
    expect(tab.error).toMatchObject({ code: 'interrupts_open', metadata: { parley: { interrupts: open } } });
    expect((await owner.get(`/agent-runs/${id}`)).status).toBe(404);
    tab.agent.setMessages(tab.agent.messages.slice(0, -1));
    await tab.follow();
    expect([tab.error, tab.agent.pendingInterrupts]).toEqual([null, open]);
    await tab.answer(() => ({ approved: false }));
    await tab.say('repeat after me: now', id);
    expect([tab.error, shown(tab).at(-1)]).toEqual([null, ['assistant', 'now']]);
    // Approvals of another conversation block nothing here.
    await other.say('repeat after me: elsewhere');
    expect(other.error).toBeNull();
  });

  it('takes a message that was sent before its approval waits for one that was cut off, and asks again', async () => {
    const user = await userOf();
    const id = crypto.randomUUID();
    await start(owner, user.agent.threadId, 'withdraw 1.5 USDC', { runId: id });
    await user.say('withdraw 1.5 USDC', id);
    expect([user.error, user.agent.pendingInterrupts.length]).toEqual([null, 1]);
    user.agent.pendingInterrupts = []; // as after a reload of the page
    await user.follow();
    expect([user.error, user.agent.pendingInterrupts.length]).toEqual([null, 1]);
  });

  it('tells of failures by their reason', async () => {
    const user = await userOf();
    await deployment.sandbox('PUT', 'faults', { model: { fail: true } });
    await user.say('what is my balance');
    expect(user.error).toMatchObject({ code: 'provider_error', message: expect.any(String) });
    await deployment.sandbox('PUT', 'faults', { model: { fail: false } });

    const nowhere = new AgUiUser(partner.origin, crypto.randomUUID());
    await nowhere.follow();
    expect(nowhere.error).toMatchObject({ code: 'not_found' });
    const bad = await fetch(partner.origin, {
      method: 'POST',
      body: JSON.stringify({ threadId: 'x', messages: [{}] }),
    });
    expect([bad.status, await bad.json()]).toEqual([
      400,
      expect.objectContaining({
        reason: 'invalid_input',
        issues: ['/threadId', '/runId', '/messages'].map((path) => ({ path, message: expect.any(String) })),
      }),
    ]);
  });
});
