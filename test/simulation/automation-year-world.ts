import type { AutomationCommand, AutomationState, FiringPorts } from '@app/automations';
import {
  asId,
  because,
  instantOf,
  ok,
  refuse,
  Unavailable,
  type AutomationId,
  type OccurrenceId,
  type RunId,
} from '@app/kernel';
import { decided, type YearStreams } from './automation-year-streams';
import type { SimulatedTimers } from './simulated-timers';
import type { Pause } from './stepwise';

const capacityRefusals = 0.03;
const unavailabilities = 0.0005;
/** The longest duration of an occurrence's run. */
const runMaxMs = 600_000;
/** The number of lost races after which a command fails. An append that loses its race is decided again. */
const racesMax = 50;
/** The kind of the timers that report the end of a run; a timer repeats until it is handled. */
export const runTimers = 'run-ended';

/** The state that all schedulers share. */
export interface SharedWorld {
  readonly nowMs: number;
  /** Whether failures have stopped. */
  readonly isCalm: boolean;
  readonly streams: YearStreams;
  readonly timers: SimulatedTimers;
  readonly runs: Set<RunId>;
  readonly counts: { lostRaces: number; refusals: number; unavailable: number };
  readonly random: () => number;
}

/**
 * The ports of one scheduler's handler: anything may happen before and after each call, and a call may fail with no way
 * to know whether it was done.
 * @param seen states that the scheduler's process saw last
 */
export function yearWorld(shared: SharedWorld, seen: Map<AutomationId, AutomationState>, pause: Pause): FiringPorts {
  const fold = async (automationId: AutomationId): Promise<AutomationState> => {
    await pause();
    mayBeAway(shared);
    const { state } = shared.streams.subject(automationId);
    seen.set(automationId, state);
    return state;
  };
  return {
    fold,
    now: () => instantOf(shared.nowMs),
    recall: async (automationId) => seen.get(automationId) ?? fold(automationId),
    record: async (automationId, command) => {
      const state = await recorded(shared, automationId, command, pause);
      seen.set(automationId, state);
      if (state === null) throw new Error(`there is no automation after ${command.type}`);
      return state;
    },
    readings: async () => ({}),
    looked: async () => undefined,
    isPaused: async () => false,
    isActive: async () => true,
    placeFor: async (_, __, { occurrenceId }) => ({
      conversationId: asId(`conversation of ${occurrenceId}`),
      runId: asId(`run of ${occurrenceId}`),
    }),
    admit: async (automationId, _, { occurrenceId, runId }) => {
      await pause();
      mayBeAway(shared);
      if (!shared.runs.has(runId)) {
        if (!shared.isCalm && shared.random() < capacityRefusals) {
          shared.counts.refusals += 1;
          return refuse(because('execution_capacity'));
        }
        startRun(shared, automationId, occurrenceId, runId);
      }
      await pause();
      mayBeAway(shared);
      return ok(null);
    },
    schedule: async (timer) => {
      await pause();
      mayBeAway(shared);
      shared.timers.schedule(timer);
      await pause();
    },
  };
}

/** As `Streams.decide`: decides on a revision, appends at exactly that revision, and otherwise decides again. */
async function recorded(
  shared: SharedWorld,
  automationId: AutomationId,
  command: AutomationCommand,
  pause: Pause,
): Promise<AutomationState> {
  const subject = shared.streams.subject(automationId);
  for (let races = 0; races < racesMax; races += 1) {
    await pause();
    mayBeAway(shared);
    const { revision, state } = subject;
    const events = decided(command, state);
    if (events.length === 0) return state;
    await pause();
    if (subject.revision === revision) {
      shared.streams.append(subject, events);
      const after = subject.state;
      await pause();
      return after;
    }
    shared.counts.lostRaces += 1;
  }
  throw new Error(`${command.type} lost ${racesMax} races`);
}

/** Starts a run that ends some minutes later. */
function startRun(shared: SharedWorld, automationId: AutomationId, occurrenceId: OccurrenceId, runId: RunId): void {
  shared.runs.add(runId);
  shared.streams.startedRun(occurrenceId);
  const dueAt = instantOf(shared.nowMs + 1 + Math.floor(shared.random() * runMaxMs));
  shared.timers.schedule({ id: `${runTimers}/${runId}`, kind: runTimers, dueAt, payload: { automationId, runId } });
}

function mayBeAway(shared: SharedWorld): void {
  if (shared.isCalm || shared.random() >= unavailabilities) return;
  shared.counts.unavailable += 1;
  throw new Unavailable('event store');
}
