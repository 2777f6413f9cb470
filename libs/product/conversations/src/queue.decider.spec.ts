/** The queue of a conversation: what waits starts by itself, in order, and nothing overtakes it. */
import { asId, limits, type ProcessId, type RunId, type RunKey, type UserId } from '@app/kernel';
import { instant, specification } from '@app/testing/deciders';
import fc from 'fast-check';
import { conversationDecider, type ConversationCommand } from './conversation.decider';
import type { ConversationEvent } from './conversation.events';
import { nextQueued } from './conversation.state';
import { abortedEnd } from './run/run-facts';
import { untuned, type RunRequest } from './run/run.schema';

const at = instant('2026-03-01T10:00Z');
const later = instant('2026-03-01T10:05Z');
const userId = asId<UserId>('ada');
const resolved = { model: 'parley/rules', tools: [], maxSteps: 16, ...untuned };
const requestOf = (id: string): RunRequest => ({ input: { text: `this is ${id}` } });
const runOf = (id: string) => ({ runId: asId<RunId>(id), runKey: asId<RunKey>(`key of ${id}`) });

const created: ConversationEvent = {
  type: 'conversation.created',
  at,
  userId,
  title: null,
  origin: 'conversation',
  automationId: null,
};
const archived: ConversationEvent = { type: 'conversation.archived', at };
const inputOf = (id: string) => ({ at, ...runOf(id), userId, request: requestOf(id), resolved });
const queue = (id: string): ConversationCommand => ({ type: 'QueueInput', ...inputOf(id) });
const queued = (id: string): ConversationEvent => ({ type: 'input.queued', ...inputOf(id) });
const factsOf = (id: string) => ({
  ...inputOf(id),
  messageId: asId<never>(`message of ${id}`),
  origin: 'user' as const,
  automationId: null,
  occurrenceId: null,
  agentInstructions: null,
  holder: null as ProcessId | null,
});
const start = (id: string, alone = true): ConversationCommand => ({ type: 'StartRun', ...factsOf(id), alone });
const started = (id: string, queuedAt: typeof at | null = null): ConversationEvent => ({
  type: 'run.started',
  ...factsOf(id),
  queuedAt,
});
const usage = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, costCents: 0, estimated: false };
const ended = (id: string): ConversationEvent => ({
  type: 'run.ended',
  at: later,
  ...runOf(id),
  userId,
  ...abortedEnd,
  usage,
  segment: 1,
  segmentCostCents: 0,
});
const suspended = (id: string): ConversationEvent => ({
  type: 'run.suspended',
  at,
  ...runOf(id),
  segment: 1,
  approvalIds: [],
  usage,
  userId,
  segmentCostCents: 0,
});
const stop = (id: string): ConversationCommand => ({ type: 'StopRun', at: later, runId: asId<RunId>(id) });
const withdrawn = (id: string): ConversationEvent => ({ type: 'input.withdrawn', at: later, ...runOf(id) });
const refuse = (id: string): ConversationCommand => ({
  type: 'RefuseQueued',
  at: later,
  runId: asId<RunId>(id),
  why: 'No.',
});
const { given } = specification(conversationDecider);

describe('an input that waits', () => {
  it('is recorded once', () => given(created, started('one')).when(queue('two')).thenOnce(queued('two')));
  it('is recorded where nothing is open too, and then starts at once', () => {
    const { state } = given(created, queued('one'));
    expect(nextQueued(state)).toMatchObject({ runId: 'one', seq: 2, since: at });
  });
  it('is no second run of one that started or ended', () => {
    given(created, started('one')).when(queue('one')).thenNothing();
    given(created, started('one'), ended('one')).when(queue('one')).thenNothing();
  });
  it('is refused in an archived conversation, and in that of another user', () => {
    given(created, archived).when(queue('one')).thenRefused('not_found');
    given({ ...created, userId: asId('eve') })
      .when(queue('one'))
      .thenRefused('not_found');
  });
  it('is refused where as many wait as may', () => {
    const full = Array.from({ length: limits.queuedInputsMax }, (_, n) => queued(`${n}`));
    given(created, ...full)
      .when(queue('more'))
      .thenRefused('rate_limited');
  });
  it('keeps the conversation from being archived', () =>
    given(created, queued('one')).when({ type: 'ArchiveConversation', at, userId }).thenRefused('run_active'));
});

describe('the start of what waits', () => {
  it('is in order, and nothing overtakes it', () => {
    const before = [created, queued('one'), queued('two')] as const;
    given(...before)
      .when(start('one'))
      .thenOnce(started('one', at));
    for (const alone of [true, false])
      for (const id of ['two', 'new'])
        given(...before)
          .when(start(id, alone))
          .thenRefused('run_active');
    given(...before, started('one', at), ended('one'))
      .when(start('two'))
      .then(started('two', at));
  });
  it('waits for the live run, and for one that waits for the user', () => {
    given(created, started('one'), queued('two')).when(start('two')).thenRefused('run_active');
    given(created, started('one'), suspended('one'), queued('two')).when(start('two')).thenRefused('run_active');
    expect(nextQueued(given(created, started('one'), suspended('one'), queued('two')).state)).toBeNull();
  });
  it('is counted from the end of the run before', () => {
    const { state } = given(created, started('one'), queued('two'), ended('one'));
    expect(nextQueued(state)).toMatchObject({ runId: 'two', since: later });
  });
});

describe('a withdrawal', () => {
  it('takes it out of the queue, once', () => {
    given(created, queued('one'), queued('two')).when(stop('one')).then(withdrawn('one'));
    given(created, queued('one'), withdrawn('one')).when(stop('one')).thenRefused('run_not_active');
    const { state } = given(created, queued('one'), queued('two'), withdrawn('one'));
    expect(nextQueued(state)).toMatchObject({ runId: 'two' });
    given(created, queued('one'), withdrawn('one')).when(start('one')).thenNothing();
  });
});

describe('a refusal', () => {
  it('ends it as not admitted, and only while it is the next', () => {
    const failure = { reason: 'not_admitted', text: 'No.' } as const;
    const over: ConversationEvent = { ...ended('one'), status: 'failed', failure } as ConversationEvent;
    given(created, queued('one')).when(refuse('one')).then(over);
    given(created, queued('one'), queued('two')).when(refuse('two')).thenNothing();
    given(created, queued('one'), started('one', at)).when(refuse('one')).thenNothing();
    given(created, queued('one'), over).when(refuse('one')).thenNothing();
  });
});

it('whatever happens, each input starts at most once, in the order in which they were queued', () => {
  const ids = ['a', 'b', 'c', 'd', 'e'];
  const id = fc.constantFrom(...ids);
  const command = fc.oneof(
    id.map(queue),
    id.map((one) => start(one)),
    id.map((one) => start(one, false)),
    id.map(stop),
    id.map(refuse),
    id.map((one): ConversationCommand => ({ type: 'ClaimRun', at, runId: asId<RunId>(one), segment: 1 })),
    id.map((one): ConversationCommand => ({
      type: 'EndRun',
      at,
      runId: asId<RunId>(one),
      attempt: 1,
      end: abortedEnd,
    })),
  );
  fc.assert(
    fc.property(fc.array(command, { maxLength: 60 }), (commands) => {
      let state = conversationDecider.evolve(conversationDecider.initialState, created);
      const waiting: string[] = [];
      const begun: string[] = [];
      for (const one of commands) {
        const decision = conversationDecider.decide(one, state);
        for (const event of decision.accepted ? decision.events : []) {
          state = conversationDecider.evolve(state, event);
          if (event.type === 'input.queued') waiting.push(event.runId);
          if (event.type === 'input.withdrawn') waiting.splice(waiting.indexOf(event.runId), 1);
          if (event.type === 'run.ended' && waiting.includes(event.runId)) expect(waiting.shift()).toBe(event.runId);
          if (event.type !== 'run.started') continue;
          begun.push(event.runId);
          if (waiting.length > 0) expect(waiting.shift()).toBe(event.runId);
        }
        expect(state.queued.map(({ runId }) => String(runId))).toEqual(waiting);
      }
      expect(new Set(begun).size).toBe(begun.length);
    }),
    { numRuns: 2_000 },
  );
});
