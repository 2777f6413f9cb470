import type { JsonObject } from '@app/kernel';
import type { Scripted } from '@app/testing/models';
import type { TestClient } from '@app/testing/client';
import { pdfOf } from '@app/testing/pdf';
import { conversationOf, eventsOf, raw, say, type Stage, startStage } from '@app/testing/journeys';

let stage: Stage;
let user: TestClient;
let conversationId: string;
beforeAll(async () => {
  stage = await startStage('openai-compatible');
  user = await stage.deployment.newUser();
});
beforeEach(async () => {
  conversationId = await conversationOf(user);
});
afterAll(() => stage.stop());

async function uploaded(name: string, body: string | Buffer, type: string, conversation = conversationId) {
  const headers = { 'content-type': type };
  const sent = new Uint8Array(Buffer.from(body));
  const path = `/conversations/${conversation}/artifacts?name=${name}`;
  return String((await raw(user, 'POST', path, { headers, body: sent })).body['id']);
}

/** Returns the results of `artifact_read` for these inputs, which a model calls in parallel. */
async function reads(...inputs: readonly JsonObject[]) {
  const calls: Scripted = { calls: inputs.map((input) => ({ tool: 'artifact_read', input })) };
  stage.models.says([calls, { text: ['Read.'] }]);
  expect(await say(user, conversationId, 'read it')).toMatchObject({ status: 'completed' });
  const returned = await eventsOf(user, conversationId, 'tool.returned');
  const sorted = returned
    .slice(-inputs.length)
    .sort((one, other) => (String(one['toolCallId']) < String(other['toolCallId']) ? -1 : 1));
  return sorted.map(({ outcome, result }) => ({ outcome, ...(result as JsonObject) })); // reason: the tool's own result
}

const whole = { outcome: 'ok', offset: 0, truncated: false };
const failed = (error: string | RegExp) => ({ outcome: 'error', error: expect.stringMatching(error) as unknown });

describe('artifact_read', () => {
  it('reads text, CSV, JSON, and the text of a PDF', async () => {
    const csv = 'day,rain\nMonday,3\n';
    const [text, table, json, undeclared, pdf] = [
      await uploaded('a.txt', '\ufeffÜber 😀\0', 'text/plain; charset=UTF-8'),
      await uploaded('b.csv', csv, 'text/csv'),
      await uploaded('c.json', '{"a":', 'application/json'),
      await uploaded('d.csv', csv, 'application/octet-stream'),
      await uploaded('e.pdf', pdfOf([['It rained.']]), 'application/pdf'),
    ];
    expect(await reads(...[text, table, json, undeclared].map((artifactId) => ({ artifactId })))).toEqual([
      { ...whole, name: 'a.txt', mediaType: 'text/plain; charset=UTF-8', text: 'Über 😀\ufffd', totalLength: 7 },
      { ...whole, name: 'b.csv', mediaType: 'text/csv', text: csv, totalLength: csv.length },
      { ...whole, name: 'c.json', mediaType: 'application/json', text: '{"a":', totalLength: 5 },
      { ...whole, name: 'd.csv', mediaType: 'application/octet-stream', text: csv, totalLength: csv.length },
    ]);
    expect(await reads({ artifactId: pdf.toUpperCase() })).toEqual([
      { ...whole, name: 'e.pdf', mediaType: 'application/pdf', text: 'It rained.', totalLength: 10 },
    ]);
  });

  it('reads at most 16,000 characters a call, from anywhere', async () => {
    const text = '😀'.repeat(20_000);
    const artifactId = await uploaded('long.txt', text, 'text/plain');
    const about = { outcome: 'ok', name: 'long.txt', mediaType: 'text/plain', totalLength: 20_000 };
    expect(
      await reads(
        { artifactId },
        { artifactId, offset: 16_000 },
        { artifactId, offset: 19_999, length: 1 },
        { artifactId, offset: 3, length: 2 },
        { artifactId, offset: 20_001 },
      ),
    ).toEqual([
      { ...about, offset: 0, text: '😀'.repeat(16_000), truncated: true },
      { ...about, offset: 16_000, text: '😀'.repeat(4_000), truncated: false },
      { ...about, offset: 19_999, text: '😀', truncated: false },
      { ...about, offset: 3, text: '😀😀', truncated: true },
      { ...about, offset: 20_001, text: '', truncated: false },
    ]);
  });

  it('says why it cannot read', async () => {
    const [binary, latin, declared, broken] = [
      await uploaded('a.png', 'x', 'image/png'),
      await uploaded('b.txt', Buffer.from([0xfc, 0x62]), 'text/plain'),
      await uploaded('c.txt', 'x', 'text/plain; charset=latin1'),
      await uploaded('d.pdf', '%PDF-1.4 and nothing', 'application/pdf'),
    ];
    expect(await reads(...[binary, latin, declared, broken].map((artifactId) => ({ artifactId })))).toEqual([
      failed('^“[^”]*” is “image/png”: only text'),
      failed('not UTF-8'),
      failed('only UTF-8'),
      failed('not a PDF'),
    ]);
    const artifactId = await uploaded('e.txt', 'x', 'text/plain');
    const wrong: JsonObject[] = [
      {},
      { artifactId: 1 },
      { artifactId, offset: -1 },
      { artifactId, length: 0 },
      { artifactId, length: 16_001 },
      { artifactId, path: '/etc/passwd' },
    ];
    expect(await reads(...wrong)).toEqual(wrong.map(() => failed('^the input must be')));
  });

  it('reads nothing of any other conversation, the same user’s or another’s', async () => {
    const other = await uploaded('a.txt', 'x', 'text/plain', await conversationOf(user));
    const [mine, me] = [conversationId, user];
    user = await stage.deployment.newUser();
    const foreign = await uploaded('a.txt', 'x', 'text/plain', await conversationOf(user));
    [conversationId, user] = [mine, me];
    expect(await reads({ artifactId: other }, { artifactId: foreign }, { artifactId: '../../secrets.json' })).toEqual(
      [1, 2, 3].map(() => failed('^the conversation has no such artifact$')),
    );
  });
});
