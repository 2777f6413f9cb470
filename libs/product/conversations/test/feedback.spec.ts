/** The user's ratings of what the agent said, in the journal, the feed and lists. */
import { type Deployment, startDeployment } from '@app/testing/deployment';
import type { TestClient } from '@app/testing/client';
import { conversationOf, expectProblem, journal, type Listed, missingId, say } from '@app/testing/journeys';

interface Message {
  readonly id: string;
  readonly role: string;
  readonly runId: string;
}

let deployment: Deployment;
let user: TestClient;
let there: TestClient;
beforeAll(async () => {
  deployment = await startDeployment({ mode: 'in-process', replicas: { api: 2 } });
  user = await deployment.newUser();
  there = user.via(deployment.baseUrls[1] ?? '');
});
afterAll(() => deployment.stop());

async function talk(): Promise<{ at: string; id: string; asked: Message; said: Message }> {
  const id = await conversationOf(user, 'T');
  await say(user, id, 'repeat after me: hello');
  const at = `/conversations/${id}`;
  const { data } = (await user.get<Listed>(`${at}/messages`)).body;
  const [asked, said] = data as unknown as Message[];
  if (asked?.role !== 'user' || said?.role !== 'assistant') throw new Error(`messages: ${JSON.stringify(data)}`);
  return { at, id, asked, said };
}

const ratingsIn = async (id: string) =>
  (await journal(user, id)).map(({ payload }) => payload).filter(({ type }) => type === 'message.rated');

it('is recorded once, the last one counts, and the list is sorted as before', async () => {
  const { at, id, said } = await talk();
  const before = (await user.get(at)).body;
  const later = await talk();
  const where = `${at}/messages/${said.id}/feedback`;
  for (const [client, body] of [
    [user, { rating: 'up' }],
    [there, { rating: 'up' }],
    [there, { rating: 'down', text: 'too short 🐦' }],
    [user, { rating: 'down', text: 'too short 🐦' }],
    [user, { rating: 'down', text: null }],
  ] as const)
    expect((await client.post(where, body)).status).toBe(204);
  const rated = { type: 'message.rated', messageId: said.id, runId: said.runId };
  expect(await ratingsIn(id)).toMatchObject([
    { ...rated, rating: 'up', text: null },
    { ...rated, rating: 'down', text: 'too short 🐦' },
    { ...rated, rating: 'down', text: null },
  ]);
  const after = (await there.get(at)).body;
  expect(after).toEqual({ ...before, lastSeq: Number(before['lastSeq']) + 3 });
  const listed = (await user.get<Listed>('/conversations?limit=2')).body.data;
  expect(listed.map((each) => each['id'])).toEqual([later.id, id]);
});

it('is refused for what is no message of the agent here', async () => {
  const { at, asked, said } = await talk();
  const stranger = await deployment.newUser();
  const other = await conversationOf(user, 'U');
  const rate = (client: TestClient, path: string) => client.post(`${path}/feedback`, { rating: 'up' });
  expectProblem(await rate(user, `${at}/messages/${asked.id}`), 'not_found');
  expectProblem(await rate(user, `${at}/messages/${missingId}`), 'not_found');
  expectProblem(await rate(user, `/conversations/${other}/messages/${said.id}`), 'not_found');
  expectProblem(await rate(stranger, `${at}/messages/${said.id}`), 'not_found');
  expect((await user.post(`${at}/archive`)).status).toBe(204);
  expectProblem(await rate(user, `${at}/messages/${said.id}`), 'not_found');
});

it.each([
  [{}, '/rating'],
  [{ rating: 'sideways' }, '/rating'],
  [{ rating: 1 }, '/rating'],
  [{ rating: 'up', text: '' }, '/text'],
  [{ rating: 'up', text: 'x'.repeat(1001) }, '/text'],
  [{ rating: 'up', text: ['x'] }, '/text'],
  [{ rating: 'up', more: 1 }, '/more'],
])('%j is refused, and nothing is recorded', async (body, pointer) => {
  const { at, id, said } = await talk();
  const refused = await user.post(`${at}/messages/${said.id}/feedback`, body);
  expectProblem(refused, 'invalid_input', { at: [pointer] });
  expect(await ratingsIn(id)).toEqual([]);
});
