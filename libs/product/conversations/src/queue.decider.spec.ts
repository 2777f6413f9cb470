/** The queue of a conversation: what waits starts by itself, in order, and nothing overtakes it. */
import { asId, limits, type MessageId, type ProcessId, type RunId, type RunKey, type UserId } from '@app/kernel';
import { instant, specification } from '@app/testing/deciders';
import fc from 'fast-check';
import { conversationDecider, type ConversationCommand } from './conversation.decider';
import type { ConversationEvent } from './conversation.events';
import { nextQueued } from './conversation.state';
import { abortedEnd, type RunEnd } from './run/run-facts';
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
const inputOf = (id: string) => ({
  at,
  ...runOf(id),
  userId,
  messageId: asId<MessageId>(`message of ${id}`),
  request: requestOf(id),
  resolved,
});
const queue = (id: string): ConversationCommand => ({ type: 'QueueInput', ...inputOf(id) });
const queued = (id: string): ConversationEvent => ({ type: 'input.queued', ...inputOf(id) });
const factsOf = (id: string) => ({
  ...inputOf(id),
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
    expect(nextQueued(state)).toMatchObject({ runId: 'one', seq: 2 });
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
  it('does not keep an automation waiting, since the queue may wait for its user', () => {
    const byAutomation = { ...factsOf('new'), alone: false, origin: 'automation' } as const;
    const before = given(created, started('one'), suspended('one'), queued('two'));
    before
      .when({ type: 'StartRun', ...byAutomation })
      .then({ ...started('new'), origin: 'automation' } as ConversationEvent);
    given(created, started('one'), queued('two'))
      .when({ type: 'StartRun', ...byAutomation })
      .thenRefused('run_active');
  });
  it('waits for the live run, and for one that waits for the user', () => {
    given(created, started('one'), queued('two')).when(start('two')).thenRefused('run_active');
    given(created, started('one'), suspended('one'), queued('two')).when(start('two')).thenRefused('run_active');
    expect(nextQueued(given(created, started('one'), suspended('one'), queued('two')).state)).toBeNull();
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

const steer = (id: string): ConversationCommand => ({
  type: 'SteerRun',
  at: later,
  ...runOf(id),
  userId,
  messageId: asId<MessageId>(`message of ${id}`),
  input: requestOf(id).input,
});
const steered = (into: string, id: string): ConversationEvent => ({
  type: 'run.steered',
  at: later,
  ...runOf(into),
  messageId: asId<MessageId>(`message of ${id}`),
  input: requestOf(id).input,
  ownRunId: runOf(id).runId,
  ownRunKey: runOf(id).runKey,
});
const claimed = (id: string): ConversationEvent => ({ type: 'run.claimed', at, ...runOf(id), segment: 1, attempt: 1 });
const said = { status: 'completed', response: { text: 'ok', truncated: false }, output: null, failure: null } as const;
const step = (id: string, heard: number, end: RunEnd | null = said): ConversationCommand => ({
  type: 'RecordStep',
  at: later,
  runId: asId<RunId>(id),
  attempt: 1,
  model: 'm',
  inputTokens: 0,
  cachedInputTokens: 0,
  outputTokens: 0,
  costMicroCents: 0,
  estimated: false,
  reasoning: null,
  message: null,
  calls: [],
  heard,
  returned: [],
  end,
});
const typesOf = (decision: ReturnType<typeof conversationDecider.decide>) =>
  decision.accepted ? decision.events.map(({ type }) => type) : [];

describe('what is said to a live run', () => {
  const live = [created, started('one'), claimed('one')] as const;
  it('joins it, once', () =>
    given(...live)
      .when(steer('two'))
      .thenOnce(steered('one', 'two')));
  it('joins no run that waits for the user, stops, or is over', () => {
    given(created).when(steer('two')).thenRefused('run_not_active');
    given(...live, suspended('one'))
      .when(steer('two'))
      .thenRefused('run_not_active');
    given(...live, { type: 'run.stopping', at, ...runOf('one') })
      .when(steer('two'))
      .thenRefused('run_not_active');
    given(...live, ended('one'))
      .when(steer('two'))
      .thenRefused('run_not_active');
    given(...live, archived)
      .when(steer('two'))
      .thenRefused('not_found');
  });
  it('is bounded together with the queue', () => {
    const some = Array.from({ length: 4 }, (_, n) => queued(`q${n}`));
    const others = Array.from({ length: limits.queuedInputsMax - 4 }, (_, n) => steered('one', `s${n}`));
    const full = given(...live, ...some, ...others);
    full.when(steer('two')).thenRefused('rate_limited');
    full.when(queue('two')).thenRefused('rate_limited');
  });
  it('makes the run take one more step in place of its end', () => {
    const { state } = given(...live, steered('one', 'two'));
    expect(typesOf(conversationDecider.decide(step('one', 0), state))).toEqual(['agent.step']);
    expect(typesOf(conversationDecider.decide(step('one', 1), state))).toEqual(['agent.step', 'run.ended']);
  });
  it.each([
    ['fails', { ...said, status: 'failed', response: null, failure: { reason: 'provider_error', text: 'no' } }],
    ['is aborted', abortedEnd],
  ] as const)('becomes a run of its own where the run %s before', (_, end) => {
    const { state } = given(...live, steered('one', 'two'), steered('one', 'three'));
    const decision = conversationDecider.decide(step('one', 1, end), state);
    expect(typesOf(decision)).toEqual(['agent.step', 'run.ended', 'input.queued']);
    expect(decision.accepted && decision.events.at(-1)).toMatchObject({ ...inputOf('three'), at: later });
  });
  it('becomes a run of its own where the run has no step left', () => {
    const last = { ...started('one'), resolved: { ...resolved, maxSteps: 1 } } as ConversationEvent;
    const { state } = given(created, last, claimed('one'), steered('one', 'two'));
    expect(typesOf(conversationDecider.decide(step('one', 0), state))).toEqual([
      'agent.step',
      'run.ended',
      'input.queued',
    ]);
  });
  it('becomes one where an approval ends the run', () => {
    const { state } = given(...live, steered('one', 'two'), suspended('one'));
    expect(typesOf(conversationDecider.decide(stop('one'), state))).toEqual(['run.ended', 'input.queued']);
  });
});

/** Everything that was said and is in no run yet, and all that was read, as an observer of the journal sees it. */
class Observed {
  state = conversationDecider.evolve(conversationDecider.initialState, created);
  readonly open = new Set<string>();
  readonly read: string[] = [];

  see(event: ConversationEvent): void {
    if (event.type === 'agent.step') this.hear((this.state.openRuns[event.runId]?.unheard ?? []).slice(0, event.heard));
    if (event.type === 'run.steered') this.open.add(event.ownRunId);
    if (event.type === 'run.started') expect(this.read).not.toContain(event.runId);
    if (event.type === 'run.started' || event.type === 'input.withdrawn') this.open.delete(event.runId);
    this.state = conversationDecider.evolve(this.state, event);
  }

  private hear(texts: readonly { readonly runId: RunId }[]): void {
    for (const { runId } of texts) {
      this.read.push(runId);
      this.open.delete(runId);
    }
  }

  /** Ids of what a run has yet to read, and of what waits. */
  get unstarted(): readonly string[] {
    const unread = Object.values(this.state.openRuns).flatMap(({ unheard }) => unheard);
    return [...unread, ...this.state.queued].map(({ runId }) => runId);
  }
}

it('whatever happens, each thing that was said is read by its run or starts one, never both, and none is lost', () => {
  const id = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
  const command = fc.oneof(
    id.map(steer),
    id.map(queue),
    id.map((one) => start(one)),
    fc.tuple(id, fc.boolean()).map(([run, ends]) => ({ run, ends })),
    id.map(stop),
    id.map((one): ConversationCommand => ({ type: 'ClaimRun', at, runId: asId<RunId>(one), segment: 1 })),
  );
  /** A worker has read what there was when it asked the model: any part of what is unread now. */
  const stepOf = ({ run, ends }: { run: string; ends: boolean }, { openRuns }: Observed['state']) => {
    const { unheard = [], attempt = 1 } = openRuns[run] ?? {};
    return { ...step(run, Math.floor(unheard.length / 2), ends ? said : null), attempt };
  };
  fc.assert(
    fc.property(fc.array(command, { maxLength: 60 }), (commands) => {
      const observed = new Observed();
      for (const one of commands) {
        const asked = 'run' in one && 'ends' in one ? stepOf(one, observed.state) : one;
        const decision = conversationDecider.decide(asked, observed.state);
        if (decision.accepted) for (const event of decision.events) observed.see(event);
        const { unstarted, open } = observed;
        expect(unstarted).toEqual(expect.arrayContaining([...open]));
        expect(new Set(unstarted).size).toBe(unstarted.length);
      }
      expect(new Set(observed.read).size).toBe(observed.read.length);
    }),
    { numRuns: 2_000 },
  );
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
