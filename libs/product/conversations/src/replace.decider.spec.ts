/** `input.replaces`: a run in place of a message and everything after it. */
import { asId, type MessageId, type RunId, type RunKey, type UserId } from '@app/kernel';
import { instant, specification } from '@app/testing/deciders';
import fc from 'fast-check';
import { conversationDecider, type ConversationCommand } from './conversation.decider';
import type { ConversationEvent } from './conversation.events';
import { isSuperseded, type ReplacedMessage } from './line';
import { untuned } from './run/run.schema';
import { abortedEnd } from './run/run-facts';

const at = instant('2026-03-01T10:00Z');
const userId = asId<UserId>('ada');
const created: ConversationEvent = {
  type: 'conversation.created',
  at,
  userId,
  title: null,
  origin: 'conversation',
  automationId: null,
};
const runOf = (id: string) => ({ runId: asId<RunId>(id), runKey: asId<RunKey>(`key of ${id}`) });
const messageOf = (id: string) => asId<MessageId>(`message of ${id}`);
const startOf = (id: string) => ({
  at,
  ...runOf(id),
  userId,
  messageId: messageOf(id),
  origin: 'user' as const,
  automationId: null,
  occurrenceId: null,
  request: { input: { text: id } },
  resolved: { model: 'scripted', tools: [], maxSteps: 2, ...untuned },
  agentInstructions: null,
  holder: null,
});
const start = (id: string, replaces?: ReplacedMessage): ConversationCommand => ({
  type: 'StartRun',
  alone: false,
  ...startOf(id),
  ...(replaces !== undefined && { replaces }),
});
const queue = (id: string): ConversationCommand => {
  const { request, resolved } = startOf(id);
  return { type: 'QueueInput', at, ...runOf(id), userId, messageId: messageOf(id), request, resolved };
};
const started = (id: string): ConversationEvent => ({ type: 'run.started', queuedAt: null, ...startOf(id) });
const usage = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, costCents: 0, estimated: false };
const ended = (id: string): ConversationEvent => ({
  type: 'run.ended',
  at,
  ...runOf(id),
  userId,
  ...abortedEnd,
  usage,
  segment: 1,
  segmentCostCents: 0,
});
const superseded = (id: string, fromSeq: number, by: string): ConversationEvent => ({
  type: 'message.superseded',
  at,
  messageId: messageOf(id),
  fromSeq,
  runId: asId<RunId>(by),
});

const conversation = specification(conversationDecider);
const stateOf = (events: readonly ConversationEvent[]) =>
  events.reduce(conversationDecider.evolve, conversationDecider.initialState);
const first: readonly ConversationEvent[] = [created, started('one'), ended('one')];
const firstMessage = { messageId: messageOf('one'), seq: 2 };

describe('a run that replaces a message', () => {
  it('starts in the append that takes the message out of the line', () =>
    conversation
      .given(...first)
      .when(start('two', firstMessage))
      .thenOnce(superseded('one', 2, 'two'), started('two')));

  it.each<[string, readonly ConversationEvent[]]>([
    ['is live', [created, started('one')]],
    ['waits to start', [...first, ...accepted(first, queue('later'))]],
  ])('is refused while another run %s', (_what, given) =>
    conversation
      .given(...given)
      .when(start('two', firstMessage))
      .thenRefused('run_active'),
  );

  it('is refused for a message that left the line already', () => {
    const given = [...first, superseded('one', 2, 'two'), started('two'), ended('two')];
    const decision = conversationDecider.decide(start('three', firstMessage), stateOf(given));
    expect(decision).toMatchObject({
      accepted: false,
      refusal: { kind: 'invalid_input', issues: [{ path: '/input/replaces' }] },
    });
  });

  it('may replace the run that replaced another', () =>
    conversation
      .given(...first, superseded('one', 2, 'two'), started('two'), ended('two'))
      .when(start('three', { messageId: messageOf('two'), seq: 5 }))
      .thenOnce(superseded('two', 5, 'three'), started('three')));

  it('is no event twice', () =>
    conversation
      .given(...first, superseded('one', 2, 'two'), started('two'))
      .when(start('two', firstMessage))
      .then());
});

/** The events of a command that is accepted. */
function accepted(given: readonly ConversationEvent[], command: ConversationCommand): readonly ConversationEvent[] {
  const decision = conversationDecider.decide(command, stateOf(given));
  if (!decision.accepted) throw new Error('refused');
  return decision.events;
}

it('leaves in the line exactly what an observer of the list would, over random histories', () => {
  const picks = fc.array(fc.nat({ max: 1000 }), { maxLength: 40 });
  fc.assert(
    fc.property(picks, (choices) => {
      let events: readonly ConversationEvent[] = [created];
      /** The observer's line: messages with their places, cut at the one that is replaced. */
      let line: { readonly id: string; readonly seq: number }[] = [];
      const gone: number[] = [];
      choices.forEach((choice, index) => {
        const id = `run-${index}`;
        const replaced = choice % 3 === 0 ? undefined : line[choice % Math.max(line.length, 1)];
        const replaces = replaced && { messageId: messageOf(replaced.id), seq: replaced.seq };
        const made = accepted(events, start(id, replaces));
        if (replaced !== undefined) {
          const cut = line.indexOf(replaced);
          gone.push(...line.slice(cut).map(({ seq }) => seq));
          line = line.slice(0, cut);
        }
        events = [...events, ...made];
        line = [...line, { id, seq: events.length }];
        events = [...events, ended(id)];
      });
      const { superseded: parts } = stateOf(events);
      expect(line.filter(({ seq }) => isSuperseded(parts, seq))).toEqual([]);
      expect(gone.filter((seq) => !isSuperseded(parts, seq))).toEqual([]);
    }),
    { numRuns: 300 },
  );
});
