/** Words that earlier versions stored in clear are sealed in copies, whatever event they are in, and read the same afterwards. */
import { automationKind, inputKind } from '@app/automations';
import { conversationKind } from '@app/conversations';
import { decodeEvent, decodeOwn, encodeEvent, openEvents, upcast } from '@app/event-store';
import type { DomainEvent, ReceivedEvent, StreamKind } from '@app/event-store';
import type { Marks, Mark, JsonObject } from '@app/kernel';
import { KeyRing, type KeyId } from '@app/sealing';
import { MemoryKeys, someCause } from '@app/testing/deciders';
import { identityKind, userKind } from '@app/users';
import { operationKind } from '@app/wallets';
import { CannotSeal, hasClearWords, SealedCopies, type CopiedBytes } from './seal-copies';
import { marksByCategory } from './stream-kinds';

type AnyKind = Pick<StreamKind<unknown, never, DomainEvent>, 'category' | 'privateMembers' | 'upcasters'>;

const at = '2026-03-01T10:00:00.000Z';
const ada = '0190a000-0000-7000-8000-00000000000a';
const asKind = (kind: object) => kind as AnyKind; // its events are made from its marks below
const begun = (type: string, members: object) => ({ type, at, userId: ada, ...members });

/** The kinds with words, each with an event that says whose they are. */
const kinds = [
  { kind: asKind(userKind), id: ada, first: null },
  { kind: asKind(identityKind), id: 'h1', first: null },
  { kind: asKind(conversationKind), id: 'c1', first: begun('conversation.created', { title: null }) },
  { kind: asKind(automationKind), id: 'a1', first: begun('automation.created', { definition: {}, epoch: 'e' }) },
  { kind: asKind(inputKind), id: 'i1', first: begun('input.recorded', { event: {} }) },
  { kind: asKind(operationKind), id: 'o1', first: begun('operation.used', { contract: { actions: [] } }) },
] as const;

/** The members of an event, by its marks: each personal one is a word that is found again. */
function membersOf(marks: Mark | Marks, path: string): unknown {
  if (marks === 'personal') return { said: `word at ${path}` };
  if (marks === 'clear') return 'clear';
  return Object.fromEntries(Object.entries(marks).map(([name, mark]) => [name, membersOf(mark, `${path}/${name}`)]));
}

function received(kind: AnyKind, id: string, event: object, revision = 0): ReceivedEvent {
  const { id: eventId, type, data, metadata } = encodeEvent(kind, event as DomainEvent, someCause());
  const bytes = { data: bytesOf(data), metadata: bytesOf(metadata) };
  return {
    kind: 'event',
    stream: `${kind.category}-${id}`,
    revision,
    position: 7,
    id: eventId,
    type,
    isJson: true,
    ...bytes,
  };
}

const bytesOf = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
const stored = (event: ReceivedEvent) => decodeOwn(event)!; // every event here is one of the product's
const withBytes = (event: ReceivedEvent, bytes: CopiedBytes | null): ReceivedEvent =>
  bytes === null ? event : { ...event, data: Buffer.from(bytes.data), metadata: Buffer.from(bytes.metadata) };

/** An event of an earlier version. */
function older(event: ReceivedEvent, version: number, members: object, secret?: object): ReceivedEvent {
  const { payload, metadata } = stored(event);
  const { v: _, private: now, ...others } = metadata;
  const hidden = secret ?? now;
  const of = { ...others, ...(version > 1 && { v: version }), ...(hidden && { private: hidden }) };
  return { ...event, data: bytesOf({ type: event.type, at: payload['at'], ...members }), metadata: bytesOf(of) };
}

let table: MemoryKeys;
let keys: KeyRing;
let copies: SealedCopies;
beforeEach(() => {
  table = new MemoryKeys();
  keys = new KeyRing(table);
  copies = new SealedCopies(keys);
});
afterEach(() => keys.close());

/** Copies the events of one stream, in order. */
async function copied(...events: readonly ReceivedEvent[]): Promise<ReceivedEvent[]> {
  const found: ReceivedEvent[] = [];
  for (const event of events) found.push(withBytes(event, await copies.copyOf(event)));
  return found;
}
const opened = async (event: ReceivedEvent) => (await openEvents(keys, [stored(event)]))[0]!;

const personalTypes = kinds.flatMap(({ kind, id, first }) => {
  const { members } = marksByCategory.find(({ category }) => category === kind.category)!;
  return Object.entries(members).flatMap(([type, marks]) => {
    const event = { type, at, ...(membersOf(marks, type) as object) };
    const isPersonal = JSON.stringify(event).includes('word at');
    return isPersonal
      ? [
          {
            kind,
            id,
            first,
            type,
            event: { ...event, ...(Reflect.get(event, 'userId') === 'clear' && { userId: ada }) },
          },
        ]
      : [];
  });
});

it('covers every kind of stream that has words', () => {
  const withWords = marksByCategory.filter(({ members }) => JSON.stringify(members).includes('personal'));
  expect(new Set(personalTypes.map(({ kind }) => kind.category))).toEqual(
    new Set(withWords.map(({ category }) => category)),
  );
});

it.each(personalTypes)('seals each word of $type in a stream of $kind.category', async ({ kind, id, first, event }) => {
  const head = first === null ? [] : [received(kind, id, first)];
  const clear = received(kind, id, event, head.length);
  expect([clear.data, clear.metadata].join(' ')).toContain('word at');
  expect(hasClearWords(clear)).toBe(true);
  const copy = (await copied(...head, clear)).at(-1)!;
  expect([copy.data, copy.metadata].join(' ')).not.toContain('word at');
  const { payload, metadata } = await opened(copy);
  expect([payload, metadata]).toEqual([stored(clear).payload, stored(clear).metadata]);
  expect(Object.keys(payload)).toEqual(Object.keys(stored(clear).payload));
  expect(hasClearWords(copy)).toBe(false);
  expect([await copies.isCopy(clear, copy), await copies.copyOf(copy)]).toEqual([true, null]);
});

const conversation = received(asKind(conversationKind), 'c1', begun('conversation.created', { title: 'word' }));
const said = (text: string) =>
  received(
    asKind(conversationKind),
    'c1',
    { type: 'agent.message', at, runId: 'r', messageId: 'm', text, truncated: false },
    1,
  );

describe('a copy', () => {
  it('is recognized by what it opens to, though no two have the same bytes', async () => {
    const [, one] = await copied(conversation, said('a word'));
    const [, other] = await copied(conversation, said('a word'));
    expect(one!.data.equals(other!.data)).toBe(false);
    const source = said('a word');
    const copy = withBytes(source, await copies.copyOf(source));
    expect(await copies.isCopy(source, copy)).toBe(true);
    expect(await copies.isCopy(source, source)).toBe(false);
    expect(await copies.isCopy({ ...source, data: said('another').data }, copy)).toBe(false);
    const elsewhere = new SealedCopies(new KeyRing(new MemoryKeys()));
    await elsewhere.copyOf(conversation);
    expect(await copies.isCopy(source, withBytes(source, await elsewhere.copyOf(source)))).toBe(false);
  });

  it('has no words of somebody whose key was destroyed, and says that they are erased', async () => {
    table.destroy('c/c1' as KeyId);
    const source = said('a word');
    await copies.copyOf(conversation);
    const copy = withBytes(source, await copies.copyOf(source));
    expect((await opened(copy)).payload['text']).toEqual({ erased: true });
    expect(await copies.isCopy(source, copy)).toBe(true);
    expect(await copies.isCopy({ ...source, data: bytesOf({ ...stored(source).payload, runId: 'r2' }) }, copy)).toBe(
      false,
    );
  });

  it('is the same bytes where there are no words, of this product or of another', async () => {
    await copies.copyOf(conversation);
    const archived = received(asKind(conversationKind), 'c1', { type: 'conversation.archived', at }, 1);
    const foreign = { ...archived, data: Buffer.from('no json') };
    for (const event of [archived, foreign, { ...said('a'), stream: 'other-1' }]) {
      expect([await copies.copyOf(event), await copies.isCopy(event, event), hasClearWords(event)]).toEqual([
        null,
        null,
        false,
      ]);
    }
  });

  it('seals a member that no version of now has, since it may hold anything', async () => {
    const { payload, metadata } = stored(said('a word'));
    const odd = { ...said('a word'), data: bytesOf({ ...payload, gone: 'word of before' }) };
    const [, copy] = await copied(conversation, odd);
    expect(copy!.data.toString()).not.toContain('word of before');
    expect((await opened(copy!)).payload).toEqual({ ...payload, gone: 'word of before' });
    expect(metadata.sealed).toBeUndefined();
  });

  it('cannot be made of words that nobody owns, nor of a member that has no path', async () => {
    await expect(copies.copyOf(said('a word'))).rejects.toThrow(CannotSeal);
    const odd = { ...said('a'), data: bytesOf({ ...stored(said('a')).payload, 'a/b': 'word' }) };
    await copies.copyOf(conversation);
    await expect(copies.copyOf(odd)).rejects.toThrow('a member named a/b');
  });
});

describe('an event of an earlier version', () => {
  const usage = { inputTokens: 2, outputTokens: 3, costCents: 1 };
  const run = { runId: 'r', origin: 'user', automationId: null, occurrenceId: null };
  const profile = {
    model: 'big',
    instructions: 'word of mine',
    tools: ['current_time'],
    maxSteps: 3,
    outputSchema: null,
  };
  const opening = { approvalId: 'p', kind: 'agent_tool', tool: 't', fingerprint: 'f', runId: 'r', expiresAt: at };
  const reviewed = { userId: ada, runKey: 'k', walletId: null, toolCallId: 'call', automationId: null, contract: null };
  const words = { input: { note: 'word' }, summary: 'word of summary' };
  const resolved = { model: 'big', tools: [], maxSteps: 3 };
  const request = { input: { text: 'word' }, profile };
  const ended = { runId: 'r', status: 'completed', output: { said: 'word' }, failure: null, usage };

  const cases: (readonly [string, number, JsonObject, JsonObject?])[] = [
    ['run.started', 1, { ...run, request }, { runKey: 'k', userId: ada, messageId: 'm' }],
    ['run.started', 2, { ...run, request }, { runKey: 'k', userId: ada, messageId: 'm', resolved }],
    ['run.started', 3, { ...run, request }, { runKey: 'k', userId: ada, messageId: 'm', resolved, holder: null }],
    ['run.ended', 1, { ...ended, response: { text: 'word' } }],
    ['run.ended', 2, { ...ended, response: { text: 'word', truncated: false } }],
    ['run.ended', 1, { ...ended, response: null }],
    ['artifact.uploaded', 1, { artifactId: 'a', name: 'word.txt', mediaType: 'word/x', bytes: 4, sha256: 'word' }],
    ['agent.message', 1, { runId: 'r', messageId: 'm', text: 'word' }],
    ['approval.opened', 1, opening, { ...reviewed, ...words }],
    ['approval.opened', 2, opening, { ...reviewed, ...words, terms: [{ name: 'what', text: 'word of terms' }] }],
  ];

  it.each(cases.map(([type, version, members, secret = {}]) => [type, version, members, secret] as const))(
    '%s of version %i is sealed in the form of now, and reads the same',
    async (type, version, members, secret) => {
      const now = received(asKind(conversationKind), 'c1', { type, at }, 1);
      const source = older(now, version, members, secret);
      const [, copy] = await copied(conversation, source);
      expect([copy!.data, copy!.metadata].join(' ')).not.toContain('word');
      const open = await opened(copy!);
      expect(decodeEvent(conversationKind, open).event).toEqual(decodeEvent(conversationKind, stored(source)).event);
      expect(upcast(conversationKind, open)).toEqual(upcast(conversationKind, stored(source)));
      expect(open.metadata.v).toBe((conversationKind.upcasters as Record<string, object[]>)[type]!.length + 1);
      expect(Object.keys(open.metadata.private ?? {})).toEqual(expect.arrayContaining(Object.keys(secret)));
      expect(await copies.isCopy(source, copy!)).toBe(true);
    },
  );

  it('covers each upcaster of an event with words', () => {
    const lifted = personalTypes.flatMap(({ kind, type }) => ((kind.upcasters?.[type]?.length ?? 0) > 0 ? [type] : []));
    expect(new Set(cases.map(([type]) => type))).toEqual(new Set(lifted));
  });

  it('stays as it is where it has no words', async () => {
    const now = received(asKind(conversationKind), 'c1', { type: 'agent.step', at }, 1);
    const step = older(now, 1, { runId: 'r', step: 1, usage });
    const [, copy] = await copied(conversation, step);
    expect(copy).toBe(step);
  });
});
