/** The turns that a model reads where messages were replaced. */
import { type ConversationEvent, untuned } from '@app/conversations';
import { asId, type ApprovalId, type MessageId, type RunId, type RunKey, type UserId } from '@app/kernel';
import { instant } from '@app/testing/deciders';
import fc from 'fast-check';
import { lineTurns } from './history';
import { Line } from './line';

const at = instant('2026-03-01T10:00Z');
const userId = asId<UserId>('ada');
const usage = { inputTokens: 1, cachedInputTokens: 0, outputTokens: 1, costCents: 1, estimated: false };
const of = (id: string) => ({ runId: asId<RunId>(id), runKey: asId<RunKey>(id) });
const started = (id: string): ConversationEvent => ({
  type: 'run.started',
  at,
  ...of(id),
  userId,
  messageId: asId<MessageId>(id),
  origin: 'user',
  automationId: null,
  occurrenceId: null,
  request: { input: { text: id } },
  resolved: { model: 'scripted', tools: [], maxSteps: 9, ...untuned },
  agentInstructions: null,
  holder: null,
  queuedAt: null,
});
const stepped = (id: string, step: number, heard = 0): ConversationEvent => ({
  type: 'agent.step',
  at,
  ...of(id),
  step,
  model: 'scripted',
  usage,
  costMicroCents: 1,
  heard,
});
const said = (id: string, text: string): ConversationEvent => ({
  type: 'agent.message',
  at,
  ...of(id),
  messageId: asId<MessageId>(text),
  text,
  truncated: false,
});
const steered = (id: string, text: string): ConversationEvent => ({
  type: 'run.steered',
  at,
  ...of(id),
  messageId: asId<MessageId>(text),
  input: { text },
  ownRunId: asId<RunId>(text),
  ownRunKey: asId<RunKey>(text),
});
const approved = (id: string, approvalId: string): ConversationEvent => ({
  type: 'approval.decided',
  at,
  approvalId: asId<ApprovalId>(approvalId),
  runKey: asId<RunKey>(id),
  status: 'approved',
  denialReason: null,
  decidedBy: 'user',
});
const ended = (id: string): ConversationEvent => ({
  type: 'run.ended',
  at,
  ...of(id),
  userId,
  status: 'completed',
  response: null,
  output: null,
  failure: null,
  usage,
  segment: 1,
  segmentCostCents: 1,
});
const superseded = (fromSeq: number, by: string): ConversationEvent => ({
  type: 'message.superseded',
  at,
  messageId: asId<MessageId>('m'),
  fromSeq,
  runId: asId<RunId>(by),
});

/** The journal as the history reads it, in pages from its end. */
function lineOf(journal: readonly ConversationEvent[], pageEvents: number) {
  const line = new Line();
  let from = journal.length;
  while (from > 0) {
    const page = journal.slice(Math.max(0, from - pageEvents), from).map((event, index) => ({
      seq: Math.max(0, from - pageEvents) + index + 1,
      event,
    }));
    from = line.add(page.toReversed(), from - pageEvents);
  }
  return line;
}

const turnsOf = (journal: readonly ConversationEvent[], pageEvents: number) =>
  lineTurns(lineOf(journal, pageEvents).events);

const journal: readonly ConversationEvent[] = [
  started('first'),
  ended('first'),
  started('sent'), // 3
  approved('sent', 'five'),
  ended('sent'),
  superseded(3, 'instead'),
];

describe.each([1, 2, 3, 200])('read in pages of %d', (pageEvents) => {
  it('has the turns before the message, and the approvals that left', () => {
    const { turns, replaced } = turnsOf(journal, pageEvents);
    expect([turns.map(({ input }) => input), replaced]).toEqual([['first'], ['five']]);
  });

  it('gives the approvals to the turn that replaced', () => {
    const { turns, replaced } = turnsOf([...journal, started('instead'), ended('instead')], pageEvents);
    expect(turns.map(({ input, replaced: left }) => [input, left])).toEqual([
      ['first', undefined],
      ['instead', ['five']],
    ]);
    expect(replaced).toEqual([]);
  });

  it('keeps the approvals of a part inside of another', () => {
    const twice = [
      ...journal,
      started('instead'),
      approved('instead', 'six'),
      ended('instead'),
      superseded(1, 'at last'),
    ];
    const { turns, replaced } = turnsOf(twice, pageEvents);
    expect([turns, replaced]).toEqual([[], ['five', 'six']]);
  });

  it('ends a run in the middle of which the replaced message was said, with the approvals of all of it', () => {
    const steeredInto = [
      started('first'),
      stepped('first', 1),
      said('first', 'begun'),
      approved('first', 'early'),
      steered('first', 'and this'), // 5
      stepped('first', 2, 1),
      approved('first', 'late'),
      ended('first'),
      superseded(5, 'instead'),
    ];
    const { turns, replaced } = turnsOf(steeredInto, pageEvents);
    expect(turns).toMatchObject([{ input: 'first', steps: [{ text: 'begun' }] }]);
    expect(turns[0]?.unheard).toBeUndefined();
    expect(replaced).toEqual(['early', 'late']);
  });
});

it('never loses an approval of what left, and shows no turn that did, over random histories', () => {
  const picks = fc.array(fc.nat({ max: 1000 }), { maxLength: 30 });
  fc.assert(
    fc.property(picks, fc.integer({ min: 1, max: 7 }), (choices, pageEvents) => {
      const events: ConversationEvent[] = [];
      let line: { readonly id: string; readonly seq: number; readonly approvals: readonly string[] }[] = [];
      choices.forEach((choice, index) => {
        const id = `run-${index}`;
        const replaced = choice % 3 === 0 ? undefined : line[choice % Math.max(line.length, 1)];
        const cut = replaced === undefined ? line.length : line.indexOf(replaced);
        const left = line.slice(cut).flatMap(({ approvals }) => approvals);
        if (replaced !== undefined) events.push(superseded(replaced.seq, id));
        events.push(started(id), approved(id, `of ${id}`), ended(id));
        line = [...line.slice(0, cut), { id, seq: events.length - 2, approvals: [...left, `of ${id}`] }];
      });
      const { turns } = turnsOf(events, pageEvents);
      expect(turns.map(({ input }) => input)).toEqual(line.map(({ id }) => id));
      expect(turns.map(({ replaced = [] }) => replaced)).toEqual(line.map(({ approvals }) => approvals.slice(0, -1)));
    }),
    { numRuns: 300 },
  );
});
