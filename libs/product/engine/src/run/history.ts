import { conversationKind, type ConversationEvent } from '@app/conversations';
import { decodeEvent, streamName, type EventStore } from '@app/event-store';
import type { ApprovalId, ConversationId, RunKey } from '@app/kernel';
import { isApproved, Line, type LineEvent } from './line';
import type { Turn, TurnStep } from '../models/model';
import { bytesPerToken } from '../models/cost';
import { newestWithin, sizeOf } from '../models/newest-turns';
import { progressAfter, startedProgress, type JournaledStep, type RunProgress } from './next';

const pageEvents = 200;
/** Most events that are read for earlier turns. */
const lookedThroughMax = 4_000;

/** A turn of a run that has ended. @property replaced approvals in the part of the journal that it replaced; absent: it replaced none */
export interface EndedTurn extends Turn {
  readonly runKey: RunKey;
  readonly replaced?: readonly ApprovalId[];
}

/** The time before a run. @property replaced approvals in the part of the journal that it replaces */
export interface History {
  readonly turns: readonly EndedTurn[];
  readonly replaced: readonly ApprovalId[];
}

/**
 * Returns the turns of the conversation's line before the `seq` of a run's start, cut by `newestTurns`. Only runs that have ended count,
 * because what another run still waits for is its own. Throws Unavailable.
 */
export async function readHistory(
  store: EventStore,
  conversationId: ConversationId,
  beforeSeq: number,
  tokensMax: number,
): Promise<History> {
  const stream = streamName(conversationKind, conversationId);
  const bytesMax = tokensMax * bytesPerToken;
  const line = new Line();
  let { turns, replaced }: History = { turns: [], replaced: [] };
  let from = beforeSeq - 1;
  while (from > 0 && line.length < lookedThroughMax && sizeOf(turns) <= bytesMax) {
    const page = await store.readStreamBackwards(stream, from - 1, pageEvents);
    const earlier = page.map((stored) => {
      const { event, revision } = decodeEvent<ConversationEvent>(conversationKind, stored);
      return { seq: revision + 1, event };
    });
    from = line.add(earlier, from - pageEvents);
    ({ turns, replaced } = lineTurns(line.events));
  }
  return { turns: newestTurns(turns, bytesMax, from <= 0), replaced };
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

/** A run as its events in the line tell it. @property approved approvals by which its money may have moved */
interface LineRun {
  readonly progress: RunProgress;
  readonly isOver: boolean;
  readonly approved: readonly ApprovalId[];
  readonly replaced: readonly ApprovalId[] | null;
}

/** The turns of the runs that begin and are over among these events, in the order in which they began, and what the next run replaces. */
export function lineTurns(events: readonly LineEvent[]): History {
  const runs = new Map<RunKey, LineRun>();
  let replaced: readonly ApprovalId[] | null = null;
  for (const event of events) {
    if (event.type === 'left') {
      // The run that replaced before may itself be what is replaced now.
      replaced = [...(replaced ?? []), ...cutRuns(runs), ...event.approvalIds];
      continue;
    }
    if (!('runKey' in event) || event.runKey === null) continue;
    const { runKey } = event;
    if (event.type === 'run.started') {
      runs.set(runKey, { progress: startedProgress(event), isOver: false, approved: [], replaced });
      replaced = null;
    }
    const run = runs.get(runKey);
    if (run !== undefined) runs.set(runKey, runAfter(run, event));
  }
  const turns = [...runs].flatMap(([runKey, run]) =>
    run.isOver ? [{ ...turnOf(run.progress), runKey, ...(run.replaced !== null && { replaced: run.replaced }) }] : [],
  );
  return { turns, replaced: replaced ?? [] };
}

function runAfter(run: LineRun, event: ConversationEvent): LineRun {
  const approved = isApproved(event) ? [...run.approved, event.approvalId] : run.approved;
  const isOver = run.isOver || event.type === 'run.ended';
  return { ...run, progress: progressAfter(run.progress, event), isOver, approved };
}

/** Ends the runs in which a replaced message was said: the remainder of them left the line. Returns their approvals. */
function cutRuns(runs: Map<RunKey, LineRun>): readonly ApprovalId[] {
  const cut = [...runs].filter(([, { isOver }]) => !isOver);
  for (const [runKey, run] of cut) runs.set(runKey, { ...run, isOver: true });
  return cut.flatMap(([, { approved }]) => approved);
}
