import { conversationKind, type ConversationEvent } from '@app/conversations';
import { decodeEvent, type EventStore } from '@app/event-store';
import type { ConversationId } from '@app/kernel';
import type { Turn, TurnStep } from './model';
import { bytesPerToken } from './models/cost';
import { progressAfter, startedProgress, type JournaledStep, type RunProgress } from './next';

const pageEvents = 200;
/** Events that are looked through for earlier turns, at most. */
const lookedThroughMax = 4_000;

/**
 * The conversation's earlier turns, oldest first, before the `seq` of a run's start: as many of the newest as fit the bound, each
 * whole. Only runs that have ended count: what another run still waits for is its own. Throws Unavailable.
 */
export async function readHistory(
  store: EventStore,
  conversationId: ConversationId,
  beforeSeq: number,
  tokensMax: number,
): Promise<readonly Turn[]> {
  const stream = `${conversationKind.category}-${conversationId}`;
  let newestFirst: ConversationEvent[] = [];
  for (let from = beforeSeq - 2; from >= 0 && newestFirst.length < lookedThroughMax; from -= pageEvents) {
    const page = await store.readStreamBackwards(stream, from, pageEvents);
    newestFirst = [
      ...newestFirst,
      ...page.map((stored) => decodeEvent<ConversationEvent>(conversationKind, stored).event),
    ];
    if (sizeOf(newestFirst) >= tokensMax * bytesPerToken) break;
  }
  return newestWithin(endedTurns(newestFirst.toReversed()), tokensMax * bytesPerToken);
}

/** What a run shows a model: its input, and the steps whose every call has returned. */
export function turnOf({ input, steps }: RunProgress): Turn {
  return { input, steps: steps.flatMap((step) => stepOf(step) ?? []) };
}

function stepOf({ text, calls }: JournaledStep): TurnStep | null {
  const exchanges = calls.flatMap(({ toolCallId, tool, input, returned }) =>
    returned === null ? [] : [{ toolCallId, tool, input, ...returned }],
  );
  return exchanges.length < calls.length ? null : { text, exchanges };
}

/** The turns of the runs that begin and end among these events, in the order in which they began. */
function endedTurns(events: readonly ConversationEvent[]): Turn[] {
  const runs = new Map<string, RunProgress>();
  const ended = new Set<string>();
  for (const event of events) {
    if (!('runKey' in event) || event.runKey === null) continue;
    if (event.type === 'run.started') runs.set(event.runKey, startedProgress(event));
    const progress = runs.get(event.runKey);
    if (progress === undefined) continue;
    runs.set(event.runKey, progressAfter(progress, event));
    if (event.type === 'run.ended') ended.add(event.runKey);
  }
  return [...runs].flatMap(([runKey, progress]) => (ended.has(runKey) ? [turnOf(progress)] : []));
}

/** The newest turns, which are no more than half of all that is told. */
export function newerHalf(turns: readonly Turn[]): readonly Turn[] {
  return newestWithin(turns, Math.floor(sizeOf(turns) / 2));
}

function newestWithin(turns: readonly Turn[], bytesMax: number): readonly Turn[] {
  let left = bytesMax;
  const first = turns.findLastIndex((turn) => {
    left -= sizeOf(turn);
    return left < 0;
  });
  return turns.slice(first + 1);
}

function sizeOf(value: object): number {
  return Buffer.byteLength(JSON.stringify(value));
}
