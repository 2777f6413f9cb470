/**
 * Issue 40: words that a person writes through every input of the contract are found in no byte that the deployment stores or logs, neither
 * before nor after their erasure, whatever dies on the way; and every proof and every book holds afterwards.
 */
import type { JsonObject } from '@app/kernel';
import { settled, unbalanced, unlikeTheEvents } from '@app/testing/audits';
import { operatorOf, type OperatorClient, type TestClient } from '@app/testing/client';
import { trusted } from '@app/testing/erasures';
import { conversationOf, expectProblem, raw } from '@app/testing/journeys';
import { MarkedWords } from '@app/testing/words';
import { verifyReceiptText } from '@app/receipts';
import { derivedIdOf } from '@app/http';
import { verifyErasure } from '@app/transparency';
import { clearInputs } from './clear-inputs';
import { erasedWithKills, timedErasure } from './erasing';
import { inputsOf, nameOf, type Input } from './inputs';
import { writePerson, type WritingPerson } from './person';
import { megabytes, rowsWith, scanned } from './places';
import { readEverything, streamsOf } from './readers';
import { startWordsStage, type WordsStage } from './stage';
import { followPage } from './ten-minutes';
import { sendWrong } from './wrong-inputs';

const TIMEOUT_MS = 600_000;
/** Operations that a user's token or a partner calls for the user. */
const areas = ['/v1/', '/hooks/', '/feed/'];
const claimMs = { keyGone: 1_000, forgotten: 60_000, scanned: 60_000 };
const erasuresTimed = 3;

const words = new MarkedWords();
let stage: WordsStage;
let document: JsonObject;
let inputs: readonly Input[];
let operator: OperatorClient;
let person: WritingPerson;
let other: TestClient;
let otherFile: string;
beforeAll(async () => {
  stage = await startWordsStage();
  const { deployment } = stage;
  document = (await (await fetch(`${deployment.baseUrls[0]}/openapi.json`)).json()) as JsonObject; // reason: a document is an object
  inputs = inputsOf(document, areas);
  operator = await operatorOf(deployment, ['users', 'audit', 'automations', 'runs', 'deployment', 'keys', 'webhooks']);
  person = await writePerson(stage, words);
  other = await deployment.newUser();
  const talk = await conversationOf(other);
  const headers = { 'content-type': 'text/plain' };
  const uploaded = await raw(other, 'POST', `/conversations/${talk}/artifacts?name=same.txt`, {
    body: person.file,
    headers,
  });
  otherFile = `/conversations/${talk}/artifacts/${String(uploaded.body['id'])}/content`;
}, TIMEOUT_MS);
afterAll(() => stage?.stop(), TIMEOUT_MS);

const identity = () => ({ issuer: `${stage.deployment.baseUrls[0]}/sandbox/issuer`, subject: person.subject });
/** The users that an operator finds by the person's identity. */
const found = () =>
  operator.get<{ data: object[] }>(`/users?q=${encodeURIComponent(`${identity().issuer} ${identity().subject}`)}`);

const isWritten = (input: Input): boolean =>
  [...person.writer.accepted].some(
    (place) => place === nameOf(input) || (input.any && place.startsWith(nameOf(input))),
  );

it('every input of the contract takes a word, or has a reason why it takes none', () => {
  const open = inputs.filter(({ closed }) => !closed);
  const hasReason = (input: Input) => clearInputs.some(([ending]) => ending.test(nameOf(input)));
  expect(open.filter((input) => !isWritten(input) && !hasReason(input)).map(nameOf)).toEqual([]);
  const unused = clearInputs.filter(
    ([ending]) => !open.some((input) => !isWritten(input) && ending.test(nameOf(input))),
  );
  expect(unused.map(([ending]) => String(ending))).toEqual([]);
  const undocumented = [...person.writer.accepted].filter(
    (place) => !inputs.some((input) => nameOf(input) === place || (input.any && place.startsWith(nameOf(input)))),
  );
  expect(undocumented).toEqual([]);
});

it(
  'requests with words in wrong places are refused, and break nothing',
  async () => {
    expect(await sendWrong(document, inputs, person)).toEqual([]);
    expect((await found()).body.data).toMatchObject([{ userId: person.writer.user.userId }]);
    expect(words.count).toBeGreaterThan(200);
  },
  TIMEOUT_MS,
);

it(
  'no word is in any byte that was stored, logged, traced or backed up',
  async () => {
    const scan = await scanned(stage, words, 'before');
    console.log(`${words.count} words: ${megabytes(scan)}`);
    expect([scan.lines(), await rowsWith(stage, words)]).toEqual([[], []]);
  },
  TIMEOUT_MS,
);

describe('an erasure', () => {
  it(
    'is fast: the key is gone within a second, and every process has forgotten it within a minute',
    async () => {
      const times = [];
      for (let round = 0; round < erasuresTimed; round += 1) times.push(await timedErasure(stage, operator));
      console.log(times.map((one) => JSON.stringify(one)).join('\n'));
      expect(Math.min(...times.map(({ keyGoneMs }) => keyGoneMs))).toBeLessThan(claimMs.keyGone);
      expect(Math.max(...times.flatMap(({ forgottenMs }) => forgottenMs))).toBeLessThan(claimMs.forgotten);
    },
    TIMEOUT_MS,
  );

  it(
    'completes although its worker is killed at ten points',
    async () => {
      const killed = await erasedWithKills(stage, operator, person.writer.user);
      expect(killed).toHaveLength(10);
    },
    TIMEOUT_MS,
  );

  it(
    'leaves no word in any byte, nor in any answer',
    async () => {
      const startedMs = performance.now();
      const scan = await scanned(stage, words, 'after');
      const scannedMs = performance.now() - startedMs;
      const read = await readEverything(stage, operator, person);
      console.log(`${megabytes(scan)} in ${Math.round(scannedMs)} ms; ${JSON.stringify(read.byStatus)}`);
      expect([scan.lines(), await rowsWith(stage, words), read.lines]).toEqual([[], [], []]);
      expect(scannedMs).toBeLessThan(claimMs.scanned);
    },
    TIMEOUT_MS,
  );

  it(
    'leaves every receipt and checkpoint provable, the books balanced, and has a certificate',
    async () => {
      const trust = await trusted(stage.deployment);
      for (const receipt of person.receipts) expect(verifyReceiptText(receipt, trust)).toMatchObject({ holds: true });
      const { userId } = person.writer.user;
      const { body } = await operator.get<{ note: string }>(`/users/${userId}/erase/certificate`);
      expect(verifyErasure(body.note, trust)).toMatchObject({ holds: true, problems: [] });
      const { databaseUrl, eventStoreUrl } = stage.deployment;
      expect((await settled(databaseUrl, eventStoreUrl)).left).toEqual([]);
      expect(await unlikeTheEvents(databaseUrl, eventStoreUrl)).toEqual([]);
      expect(await unbalanced(databaseUrl)).toEqual([]);
      const verified = await stage.run('audit', 'verify');
      expect([verified.code, verified.stdout.trim().split('\n').at(-1)]).toEqual([
        0,
        expect.stringContaining('PROVEN'),
      ]);
    },
    TIMEOUT_MS,
  );

  it('leaves no way from the subject to the account', async () => {
    const { user } = person.writer;
    expect((await found()).body.data).toEqual([]);
    const again = await fetch(`${user.baseUrl}/v1/users`, { method: 'POST', headers: user.headers });
    expectProblem(
      { status: again.status, headers: again.headers, body: (await again.json()) as object },
      'account_disabled',
    );
    const derived = derivedIdOf(identity());
    expect(derived).not.toBe(user.userId);
    expect((await streamsOf(stage)).filter((stream) => stream.includes(derived))).toEqual([]);
  });

  it(
    'leaves the ten minutes that docs/privacy.md describes',
    async () => expect(await followPage(stage, person)).toEqual({ blocks: 6, faults: [] }),
    TIMEOUT_MS,
  );

  it('leaves another person the same file', async () => {
    const { status, body } = await other.get<string>(otherFile);
    expect([status, body]).toEqual([200, person.file]);
  });
});
