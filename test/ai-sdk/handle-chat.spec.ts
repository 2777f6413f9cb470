import { handleChat } from '@parley/client/ai-sdk';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import { conversationOf, missingId, say } from '@app/testing/journeys';
import { TestClient } from '@app/testing/client';
import { clientOf } from '../client/clients';

const path = '/api/chat';
const runId = '11111111-1111-4111-8111-111111111111';
const fingerprint = `sha256:${'a'.repeat(64)}`;

let deployment: Deployment;
let user: TestClient;
let conversationId: string;
beforeAll(async () => {
  deployment = await startDeployment({ mode: 'in-process' });
  user = await deployment.newUser();
  conversationId = await conversationOf(user);
});
afterAll(() => deployment.stop());

interface Asked {
  readonly body?: unknown;
  readonly lastEventId?: string;
  readonly as?: TestClient;
}

/** The handler's answer. */
async function ask(
  method: string,
  url: string,
  { body, lastEventId, as = user }: Asked = {},
): Promise<Response | null> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const headers: Record<string, string> = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
  const request = new Request(`https://partner.example${url}`, {
    method,
    headers,
    ...(body !== undefined && { body: text }),
  });
  return handleChat(request, { parley: clientOf(as, as.baseUrl, { when: () => false }), path });
}

const at = (action = '') => `${path}/${conversationId}${action}`;

it.each([
  ['another path', 'GET', '/api/other'],
  ['no conversation', 'GET', `${path}/`],
  ['what is no id', 'GET', `${path}/nobody`],
  ['an unknown action', 'GET', `${path}/${runId}/nothing`],
  ['a path below an action', 'GET', `${path}/${runId}/stream/more`],
  ['another method', 'DELETE', `${path}/${runId}`],
])('leaves %s to others', async (_, method, url) => expect(await ask(method, url)).toBeNull());

it.each([
  ['no JSON', '{'],
  ['no object', '[]'],
  ['no run', { text: 'hello' }],
  ['a run that is no UUID', { runId: 'run', text: 'hello' }],
  ['no text', { runId }],
  ['an empty text', { runId, text: '' }],
  ['a text that is too long', { runId, text: 'a'.repeat(65_537) }],
  ['a body that is too long', { runId, text: 'a', more: 'a'.repeat(300_000) }],
  ['artifacts that are none', { runId, text: 'hello', artifactIds: [1] }],
  ['too many artifacts', { runId, text: 'hello', artifactIds: Array.from({ length: 11 }, () => runId) }],
])('refuses a message with %s', async (_, body) => {
  const answer = await ask('POST', at('/messages'), { body });
  expect(answer?.status).toBe(400);
  expect(await answer?.json()).toMatchObject({ reason: 'invalid_input', retryable: false });
});

const answer = { approvalId: runId, approved: true, fingerprint };

it.each([
  ['no answers', { cursor: '1.1', answers: [] }],
  ['too many', { cursor: '1.1', answers: Array.from({ length: 65 }, () => answer) }],
  ['no decision', { cursor: '1.1', answers: [{ ...answer, approved: 'yes' }] }],
  ['no fingerprint', { cursor: '1.1', answers: [{ approvalId: runId, approved: true }] }],
  ['no cursor', { answers: [answer] }],
  ['what is no cursor', { cursor: 'here', answers: [answer] }],
])('refuses answers with %s', async (_, body) =>
  expect((await ask('POST', at('/answers'), { body }))?.status).toBe(400),
);

it.each(['', 'here', '-1.2', '1', '0.0', '9.1', `${'9'.repeat(15)}.${'9'.repeat(15)}`, '1.1.t_1_1', '1.1'])(
  'refuses %j as a place to go on from',
  async (lastEventId) => expect((await ask('GET', at('/stream'), { lastEventId }))?.status).toBe(400),
);

it.each(['x', '-1', '1.5'])('refuses %j as a place to watch from', async (lastEventId) =>
  expect((await ask('GET', at('/watch'), { lastEventId }))?.status).toBe(400),
);

it.each([
  ['GET', ''],
  ['GET', '/stream'],
  ['GET', '/watch'],
  ['POST', '/stop'],
])('%s %s knows no conversation of somebody else, and none that is not there', async (method, action) => {
  const other = await deployment.newUser();
  const body = method === 'POST' ? { body: {} } : {};
  expect((await ask(method, at(action), { ...body, as: other }))?.status).toBe(404);
  expect((await ask(method, `${path}/${missingId}${action}`, body))?.status).toBe(404);
});

it('answers the history, and nothing to stream where nothing is under way', async () => {
  await say(user, conversationId, 'repeat after me: hello');
  const history = await ask('GET', at());
  expect(history?.headers.get('cache-control')).toBe('no-store');
  expect(await history?.json()).toMatchObject({
    conversation: { id: conversationId },
    messages: [{ role: 'user' }, { role: 'assistant', metadata: { status: 'completed' } }],
  });
  expect((await ask('GET', at('/stream')))?.status).toBe(204);
  expect((await ask('POST', at('/stop'), { body: {} }))?.status).toBe(204);
});

it('streams the UI message stream protocol', async () => {
  const run = '22222222-2222-4222-8222-222222222222';
  const streamed = await ask('POST', at('/messages'), { body: { runId: run, text: 'repeat after me: hello' } });
  expect(streamed?.headers.get('x-vercel-ai-ui-message-stream')).toBe('v1');
  expect(streamed?.headers.get('content-type')).toContain('text/event-stream');
  const text = (await streamed?.text()) ?? '';
  expect(text).toMatch(
    /^id: \d+\.\d+\ndata: \{"type":"start","messageId":"22222222-2222-4222-8222-222222222222\.answer"|^data: \{"type":"start"/,
  );
  expect(text).toMatch(/data: \{"type":"finish","finishReason":"stop".*\}\n\ndata: \[DONE\]\n\n$/);
});

it('tells who is not let in by the service what the service says', async () => {
  const stranger = new TestClient(user.baseUrl, user.partnerKey, 'nobody', user.userId);
  const refused = await ask('GET', at(), { as: stranger });
  expect(refused?.status).toBe(401);
  expect(await refused?.json()).toMatchObject({ retryable: false });
});

it('does not blame the user for a key of the partner that is refused', async () => {
  const keyless = new TestClient(user.baseUrl, 'pk_nobody', user.token, user.userId);
  const refused = await ask('GET', at(), { as: keyless });
  expect(refused?.status).toBe(500);
  expect(await refused?.json()).toMatchObject({ reason: 'internal', title: 'A fault of this server' });
});
