import { conversationKind, type ConversationEvent } from '@app/conversations';
import { decodeEvent, streamName, type EventStore } from '@app/event-store';
import type { ConversationId, RunKey } from '@app/kernel';
import type { Turn, TurnStep } from '../models/model';
import { bytesPerToken } from '../models/cost';
import { newestWithin, sizeOf } from '../models/newest-turns';
import { progressAfter, startedProgress, type JournaledStep, type RunProgress } from './next';

const pageEvents = 200;
/** Most events that are read for earlier turns. */
const lookedThroughMax = 4_000;

/** A turn of a run that has ended. */
export interface EndedTurn extends Turn {
  readonly runKey: RunKey;
}

/**
 * Returns the conversation's turns before the `seq` of a run's start, cut by `newestTurns`. Only runs that have ended count, because what
 * another run still waits for is its own. Throws Unavailable.
 */
export async function readHistory(
  store: EventStore,
  conversationId: ConversationId,
  beforeSeq: number,
  tokensMax: number,
): Promise<readonly Turn[]> {
  const stream = streamName(conversationKind, conversationId);
  const bytesMax = tokensMax * bytesPerToken;
  const events: ConversationEvent[] = [];
  let turns: readonly EndedTurn[] = [];
  let from = beforeSeq - 2;
  for (; from >= 0 && events.length < lookedThroughMax && sizeOf(turns) <= bytesMax; from -= pageEvents) {
    const page = await store.readStreamBackwards(stream, from, pageEvents);
    const earlier = page.map((stored) => decodeEvent<ConversationEvent>(conversationKind, stored).event);
    events.unshift(...earlier.toReversed());
    turns = endedTurns(events);
  }
  return newestTurns(turns, bytesMax, from < 0);
}

/**
 * Returns the newest turns, oldest first and each whole: all of them if they fit, otherwise between half of the bound and all of it. The
 * first turn then changes rarely rather than with every turn, so that a provider's prompt cache still hits: among the possible cuts the one
 * with the least run key is taken, which stays the least as turns are added and dropped (Schleimer, Wilkerson and Aiken, "Winnowing",
 * 2003).
 *
 * @param areAll whether there are no turns before these
 */
export function newestTurns(turns: readonly EndedTurn[], bytesMax: number, areAll: boolean): readonly EndedTurn[] {
  const fitting = newestWithin(turns, bytesMax);
  if (areAll && fitting.length === turns.length) return turns;
  const needed = newestWithin(fitting, bytesMax / 2).length;
  const cuts = fitting.slice(0, fitting.length - needed);
  const first = cuts.reduce<EndedTurn | null>(
    (least, turn) => (least && least.runKey < turn.runKey ? least : turn),
    null,
  );
  return first === null ? fitting : fitting.slice(fitting.indexOf(first));
}

/** The part of a run that a model sees: its input, and the steps whose calls have all returned. */
export function turnOf({ input, steps, unheard }: RunProgress): Turn {
  const turn = { input, steps: steps.flatMap((step) => stepOf(step) ?? []) };
  return unheard.length === 0 ? turn : { ...turn, unheard };
}

function stepOf({ heard, text, calls }: JournaledStep): TurnStep | null {
  const exchanges = calls.flatMap(({ toolCallId, tool, input, returned }) =>
    returned === null ? [] : [{ toolCallId, tool, input, ...returned }],
  );
  return exchanges.length < calls.length ? null : { ...(heard.length > 0 && { heard }), text, exchanges };
}

/** The turns of the runs that begin and end among these events, in the order in which they began. */
function endedTurns(events: readonly ConversationEvent[]): EndedTurn[] {
  const runs = new Map<RunKey, RunProgress>();
  const ended = new Set<RunKey>();
  for (const event of events) {
    if (!('runKey' in event) || event.runKey === null) continue;
    if (event.type === 'run.started') runs.set(event.runKey, startedProgress(event));
    const progress = runs.get(event.runKey);
    if (progress === undefined) continue;
    runs.set(event.runKey, progressAfter(progress, event));
    if (event.type === 'run.ended') ended.add(event.runKey);
  }
  return [...runs].flatMap(([runKey, progress]) => (ended.has(runKey) ? [{ ...turnOf(progress), runKey }] : []));
}
