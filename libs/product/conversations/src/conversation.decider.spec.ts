import { asId, type MessageId, type RunId, type RunKey, type UserId } from '@app/kernel';
import { fold, instant, specification } from '@app/testing/deciders';
import { conversationDecider, type ConversationCommand } from './conversation.decider';
import { rememberedEndedRunsMax, rememberedRatingsMax } from './conversation.state';
import type { ConversationEvent } from './conversation.events';
import { type RunRequest, untuned } from './run/run.schema';
import { abortedEnd } from './run/run-facts';

const at = instant('2026-03-01T10:00Z');
const later = instant('2026-03-01T11:00Z');
const userId = asId<UserId>('ada');
const stranger = asId<UserId>('bob');
const request: RunRequest = { input: { text: 'hello' }, profile: { model: 'parley/rules' } };
const resolved = { model: 'parley/rules', tools: [], maxSteps: 16, ...untuned };
const origin = { origin: 'conversation', automationId: null } as const;

const create: ConversationCommand = { type: 'CreateConversation', at, userId, title: 'Plans', ...origin };
const created: ConversationEvent = { type: 'conversation.created', at, userId, title: 'Plans', ...origin };
const rename: ConversationCommand = { type: 'RenameConversation', at: later, userId, title: 'Better plans' };
const renamed: ConversationEvent = { type: 'conversation.updated', at: later, title: 'Better plans' };
const archive: ConversationCommand = { type: 'ArchiveConversation', at: later, userId };
const archived: ConversationEvent = { type: 'conversation.archived', at: later };

const runOf = (id: string) => ({ runId: asId<RunId>(id), runKey: asId<RunKey>(`key of ${id}`) });
const startOf = (id: string) => ({
  at,
  ...runOf(id),
  userId,
  messageId: asId<MessageId>(`message of ${id}`),
  origin: 'user' as const,
  automationId: null,
  occurrenceId: null,
  request,
  resolved,
  agentInstructions: null,
  holder: null,
});
const start = (id = 'one'): ConversationCommand => ({ type: 'StartRun', alone: false, ...startOf(id) });
const started = (id = 'one'): ConversationEvent => ({ type: 'run.started', queuedAt: null, ...startOf(id) });
const ended = (id = 'one'): ConversationEvent => ({
  type: 'run.ended',
  at: later,
  ...runOf(id),
  userId,
  ...abortedEnd,
  usage: { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, costCents: 0, estimated: false },
  segment: 1,
  segmentCostCents: 0,
});

const conversation = specification(conversationDecider);

describe('a conversation', () => {
  it('is created once', () => conversation.when(create).thenOnce(created));
  it('is not created over another’s', () =>
    conversation
      .given(created)
      .when({ ...create, userId: stranger })
      .thenRefused('not_found'));
  it('is renamed once', () => conversation.given(created).when(rename).thenOnce(renamed));
  it('is renamed by its user only', () =>
    conversation
      .given(created)
      .when({ ...rename, userId: stranger })
      .thenRefused('not_found'));
  it('is not there before it is created', () => {
    for (const command of [rename, archive, start()]) conversation.when(command).thenRefused('not_found');
  });
});

describe('archiving', () => {
  it('happens once', () => conversation.given(created).when(archive).thenOnce(archived));
  it('is its user’s to do', () =>
    conversation
      .given(created)
      .when({ ...archive, userId: stranger })
      .thenRefused('not_found'));
  it('waits for the end of the run', () =>
    conversation.given(created, started()).when(archive).thenRefused('run_active'));
  it('follows the end of the run', () => conversation.given(created, started(), ended()).when(archive).then(archived));
  it('ends every other write', () => {
    for (const command of [rename, start()])
      conversation.given(created, archived).when(command).thenRefused('not_found');
  });
});

describe('a start', () => {
  it('takes the conversation', () => conversation.given(created).when(start()).thenOnce(started()));
  it('is its user’s to do', () =>
    conversation
      .given(created)
      .when({ type: 'StartRun', alone: false, ...startOf('one'), userId: stranger })
      .thenRefused('not_found'));
  it('is refused while another run is live', () =>
    conversation.given(created, started()).when(start('two')).thenRefused('run_active'));
  it('follows the end of the run before', () =>
    conversation.given(created, started(), ended()).when(start('two')).then(started('two')));
  it('of a run that has ended changes nothing, even when archived', () => {
    conversation.given(created, started(), ended()).when(start()).thenNothing();
    conversation.given(created, started(), ended(), archived).when(start()).thenNothing();
  });
});

describe('a rating', () => {
  const rate = (rating: 'up' | 'down', text: string | null = null, id = 'said'): ConversationCommand => ({
    type: 'RateMessage',
    at: later,
    userId,
    message: { id: asId<MessageId>(id), runId: asId<RunId>('one') },
    rating,
    text,
  });
  const rated = (rating: 'up' | 'down', text: string | null = null, id = 'said'): ConversationEvent => ({
    type: 'message.rated',
    at: later,
    messageId: asId<MessageId>(id),
    runId: asId<RunId>('one'),
    rating,
    text,
  });
  const lived = [created, started(), ended()] as const;

  it('is recorded once', () =>
    conversation
      .given(...lived)
      .when(rate('up'))
      .thenOnce(rated('up')));
  it('is replaced by the next one, of another text as well', () => {
    conversation
      .given(...lived, rated('up'))
      .when(rate('down'))
      .then(rated('down'));
    conversation
      .given(...lived, rated('up'))
      .when(rate('up', 'clear'))
      .then(rated('up', 'clear'));
    conversation
      .given(...lived, rated('up'), rated('down'))
      .when(rate('up'))
      .then(rated('up'));
  });
  it('of one message says nothing of another', () =>
    conversation
      .given(...lived, rated('up'))
      .when(rate('up', null, 'other'))
      .then(rated('up', null, 'other')));
  it('is given while a run is live', () => conversation.given(created, started()).when(rate('up')).then(rated('up')));
  it('is its user’s to give, and ends with the archiving', () => {
    conversation
      .given(...lived)
      .when({ ...rate('up'), userId: stranger } as ConversationCommand)
      .thenRefused('not_found');
    conversation
      .given(...lived, archived)
      .when(rate('up'))
      .thenRefused('not_found');
  });
  it('changes neither the activity nor any run', () => {
    const before = conversation.given(...lived).state;
    const { ratings, ...after } = conversation.given(...lived, rated('up')).state;
    expect(after).toEqual({ ...before, ratings: undefined, lastSeq: 4 });
    expect(ratings).toEqual([{ messageId: 'said', rating: 'up', text: null }]);
  });
  it('is remembered for so many messages', () => {
    const many = Array.from({ length: rememberedRatingsMax + 5 }, (_, n) => rated('up', null, `${n}`));
    const { ratings } = conversation.given(...lived, ...many, rated('down', null, '7')).state;
    expect(ratings).toHaveLength(rememberedRatingsMax);
    expect(ratings.at(-1)).toEqual({ messageId: '7', rating: 'down', text: null });
  });
});

describe('the state', () => {
  it('follows the journal', () => {
    const { state } = conversation.given(created, started());
    expect(state).toMatchObject({
      userId,
      title: 'Plans',
      createdAt: at,
      lastSeq: 2,
      liveRunId: 'one',
      endedRunIds: [],
    });
    expect(state.openRuns).toMatchObject({ one: { status: 'queued', startedSeq: 2, segment: 1, attempt: 0 } });
    expect(conversation.given(created, started(), ended()).state).toMatchObject({
      liveRunId: null,
      openRuns: {},
      endedRunIds: ['one'],
      lastSeq: 3,
      lastActivityAt: later,
    });
  });

  it('takes renaming and archiving for no activity', () => {
    expect(conversation.given(created, renamed, archived).state).toMatchObject({
      lastActivityAt: at,
      archivedAt: later,
      title: 'Better plans',
      lastSeq: 3,
    });
  });

  it('stays small however many runs there were', () => {
    const runs = Array.from({ length: rememberedEndedRunsMax + 10 }, (_, n) => [started(`${n}`), ended(`${n}`)]).flat();
    const state = fold(conversationDecider, conversationDecider.initialState, [created, ...runs]);
    expect(state.endedRunIds).toHaveLength(rememberedEndedRunsMax);
    expect(state.endedRunIds.at(-1)).toBe(`${rememberedEndedRunsMax + 9}`);
    expect(state.openRuns).toEqual({});
  });
});
