import { openOr } from '@app/kernel';
import { isDeepStrictEqual } from 'node:util';
import { conversationKind, type ConversationEvent } from '@app/conversations';
import { decodeEvent, type Recorded, type StoredEvent } from '@app/event-store';
import type { SeenEvent } from '../client';
import type { Acknowledged } from '../journeys/random-journey';

/** Everything that is not as it must be, in words. The product promises that all of these lists are empty. */
export interface Findings {
  readonly lost: string[];
  readonly doubled: string[];
  readonly stuck: string[];
  readonly gaps: string[];
  readonly books: string[];
}

export interface Seen {
  readonly conversationId: string;
  readonly seen: readonly SeenEvent[];
}

/** Compares everything that was acknowledged, or delivered on a stream, with the events in the store. */
export function auditJournal(
  events: readonly StoredEvent[],
  acknowledged: readonly Acknowledged[],
  delivered: readonly Seen[],
): Findings {
  const findings: Findings = { lost: [], doubled: [], stuck: [], gaps: [], books: [] };
  const streams = groupedBy(events, ({ stream }) => stream);
  for (const [stream, stored] of streams) {
    const misplaced = stored.find(({ revision }, index) => revision !== index);
    if (misplaced) findings.gaps.push(`${stream} has revision ${misplaced.revision} out of its place`);
    if (stream.startsWith('run-') && stored.length > 1)
      findings.doubled.push(`${stream} is bound ${stored.length} times`);
    if (stream.startsWith('budget-')) auditBudget(stream, stored, findings);
  }
  const ofConversation = (id: string) => streams.get(`${conversationKind.category}-${id}`) ?? [];
  for (const promise of acknowledged) {
    if (!isKept(promise, ofConversation(promise.conversationId))) findings.lost.push(JSON.stringify(promise));
  }
  for (const { conversationId, seen } of delivered) {
    const stored = ofConversation(conversationId);
    const unlike = seen.filter(({ seq, data }) => !isDeepStrictEqual(stored[seq - 1]?.payload, data.payload));
    findings.lost.push(...unlike.map(({ seq, type }) => `${type} ${seq} of ${conversationId} was streamed`));
  }
  auditRuns(events, findings);
  return findings;
}

function isKept(promise: Acknowledged, stored: readonly StoredEvent[]): boolean {
  const some = (type: string, members: object) =>
    stored.some((event) => event.type === type && Object.entries(members).every(([k, v]) => event.payload[k] === v));
  switch (promise.kind) {
    case 'created':
      return stored[0]?.type === 'conversation.created';
    case 'archived':
      return some('conversation.archived', {});
    case 'renamed':
      return some('conversation.updated', { title: promise.title });
    case 'started': {
      const event = stored[promise.seq - 1];
      return event?.type === 'run.started' && event.payload['runId'] === promise.runId;
    }
    case 'ended':
      return some('run.ended', { runId: promise.runId, status: promise.status });
    case 'approved':
      return some('approval.decided', { approvalId: promise.approvalId, status: 'approved' });
    case 'aborted':
      return some('run.ended', { runId: promise.runId, status: 'aborted' });
  }
}

type RunRecord = Recorded<Extract<ConversationEvent, { readonly runKey: unknown }> & { readonly runKey: string }>;

function auditRuns(events: readonly StoredEvent[], findings: Findings): void {
  const ofRuns = events
    .filter(({ stream }) => stream.startsWith(`${conversationKind.category}-`))
    .map((stored) => decodeEvent<ConversationEvent>(conversationKind, stored))
    .filter((recorded): recorded is RunRecord => 'runKey' in recorded.event && recorded.event.runKey !== null);
  const settled = events.filter(({ type }) => type === 'budget.spent');
  const spent = groupedBy(settled, ({ payload }) => textOf(payload['runKey']));
  for (const [runKey, records] of groupedBy(ofRuns, ({ event }) => event.runKey)) {
    auditRun(runKey, records, findings);
    const booked = spent.get(textOf(runKey)) ?? [];
    const bookedCents = centsBySegment(booked.map(({ payload }) => [payload['segment'], payload['amountCents']]));
    // A run that ends while it waits repeats the cost of its last segment.
    const costCents = centsBySegment(
      records.flatMap(({ event }) => ('segmentCostCents' in event ? [[event.segment, event.segmentCostCents]] : [])),
    );
    if (!isDeepStrictEqual(bookedCents, costCents))
      findings.books.push(`run ${runKey} cost ${textOf(costCents)}, booked ${textOf(bookedCents)}`);
  }
}

/** Returns the cost of each segment; one without cost need not be booked. */
function centsBySegment(costs: readonly (readonly unknown[])[]): Record<string, unknown> {
  return Object.fromEntries(
    costs.filter(([, cents]) => cents !== 0).map(([segment, cents]) => [String(segment), cents]),
  );
}

/**
 * Checks one run: started once, claimed and stepped in order, each call returned once, one message a step, ended once
 * and then silent.
 */
function auditRun(runKey: string, records: readonly RunRecord[], findings: Findings): void {
  const types = records.map(({ event }) => event.type);
  const count = (type: string) => types.filter((one) => one === type).length;
  const twice = (what: string) => findings.doubled.push(`run ${runKey}: ${what} (${types.join(', ')})`);
  if (count('run.started') !== 1) twice('is not started once');
  if (count('run.ended') === 0) findings.stuck.push(`run ${runKey} (${types.join(', ')})`);
  if (count('run.ended') > 0 && types.indexOf('run.ended') !== types.length - 1) twice('goes on after its end');
  const steps = records.flatMap(({ event }) => (event.type === 'agent.step' ? [event.step] : []));
  if (!steps.every((step, index) => step === index + 1)) twice(`steps ${steps.join()}`);
  const attempts = records.flatMap(({ event }) => attemptOf(event));
  if (!attempts.every((attempt, index) => attempt === null || attempt === index + 1))
    twice(`claims ${attempts.join()}`);
  if (/agent\.message(?:,(?!agent\.step)[^,]*)*,agent\.message/.test(types.join())) twice('says a step twice');
  const calls = records.flatMap(({ event }) => (event.type === 'tool.called' ? [event.toolCallId] : []));
  const returns = records.flatMap(({ event }) => (event.type === 'tool.returned' ? [event.toolCallId] : []));
  if (new Set(calls).size !== calls.length || new Set(returns).size !== returns.length) twice('calls a tool twice');
  if (calls.length !== returns.length) findings.stuck.push(`a call of run ${runKey} (${types.join(', ')})`);
  auditEnd(runKey, records, findings);
}

function auditEnd(runKey: string, records: readonly RunRecord[], { books, doubled }: Findings): void {
  const said = records.flatMap(({ event }) => (event.type === 'agent.message' ? [openOr(event.text, '')] : []));
  const stepCents = records.reduce(
    (sum, { event }) => sum + (event.type === 'agent.step' ? event.usage.costCents : 0),
    0,
  );
  for (const { event } of records) {
    if (event.type !== 'run.ended') continue;
    if (event.usage.costCents !== stepCents)
      books.push(`run ${runKey} says ${event.usage.costCents}, its steps ${stepCents}`);
    // A model may send text next to its calls; its last message is the answer.
    const answered = openOr(event.response, null)?.text;
    if (event.status === 'completed' && said.at(-1) !== answered)
      doubled.push(`run ${runKey} answers "${answered}" and said "${said.join('", "')}"`);
  }
}

/** Checks that the amount held for each segment is returned in full and once. */
function auditBudget(stream: string, stored: readonly StoredEvent[], { books, doubled }: Findings): void {
  for (const [segment, events] of groupedBy(stored, ({ payload }) => textOf([payload['runKey'], payload['segment']]))) {
    const sum = (type: string, member: string) =>
      events.reduce((total, event) => total + (event.type === type ? Number(event.payload[member]) : 0), 0);
    const given = sum('budget.spent', 'releasedCents') + sum('budget.released', 'amountCents');
    const held = sum('budget.reserved', 'amountCents') - given;
    if (held !== 0) books.push(`${stream} holds ${held} cents for ${segment}`);
    const settlements = events.filter(({ type }) => type === 'budget.spent').length;
    if (settlements > 1) doubled.push(`${stream} settles ${segment} ${settlements} times`);
  }
}

const textOf = (value: unknown): string => JSON.stringify(value);

function groupedBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
}

/** Returns the attempt of a claim; null for a segment that began with a holder, which is an attempt too. */
function attemptOf(event: RunRecord['event']): readonly (number | null)[] {
  if (event.type === 'run.claimed') return [event.attempt];
  return (event.type === 'run.started' || event.type === 'run.resumed') && event.holder !== null ? [null] : [];
}
