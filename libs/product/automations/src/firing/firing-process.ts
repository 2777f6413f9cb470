import { Injectable, type OnModuleInit } from '@nestjs/common';
import { causeOfService, asId, causeOfEvent, type AutomationId, type RunId } from '@app/kernel';
import { Timers, type Timer } from '@app/timers';
import { v7 as uuidV7 } from 'uuid';
import { conversationKind } from '@app/conversations';
import { decodeEvent, EventStore, FoldedStates, idInStream, type StoredEvent } from '@app/event-store';
import type { Reactor } from '@app/read-store';
import { Sampler } from '../sources/sampler';
import { sourceTimers } from '../sources/source-key';
import { admitNext } from './admit-next';
import { handleDue, handleEnd, handleInput, handleRunEnded } from './fire';
import { automationOf, dueTimers, endTimers, epochOf, occurrenceTimers } from './firing-timers';
import type { FiringPorts } from './firing-ports';
import { LiveFiring } from './live-firing';
import { inputKind, type InputRecorded } from '../inputs/input.stream';

/** Maximum number of due times, and of deferred admissions, that one process handles at once: each until its run has begun. */
const firingAtOnceMax = 32;
/** Maximum number of sources that one process samples at once. */
const samplesAtOnceMax = 32;

/** Handles the timers of automations and of the sources that they read. May be killed anywhere, and run in several workers at once. */
@Injectable()
export class FiringProcess implements OnModuleInit {
  constructor(
    private readonly firing: LiveFiring,
    private readonly sampler: Sampler,
    private readonly timers: Timers,
  ) {}

  onModuleInit(): void {
    this.timers.handle(dueTimers, (timer) => handleDue(this.world(), { ...activationOf(timer), dueAt: timer.dueAt }), {
      atOnceMax: firingAtOnceMax,
    });
    this.timers.handle(endTimers, (timer) => handleEnd(this.world(), activationOf(timer)));
    this.timers.handle(occurrenceTimers, (timer) => admitNext(this.world(), automationOf(timer)), {
      atOnceMax: firingAtOnceMax,
    });
    this.timers.handle(sourceTimers, (timer) => this.sampler.handle(timer), { atOnceMax: samplesAtOnceMax });
  }

  /** A timer's work has no preceding cause, so each gets a new one. */
  private world(): FiringPorts {
    return this.firing.world(causeOfService('firing', uuidV7()));
  }
}

function activationOf(timer: Timer) {
  return { automationId: automationOf(timer), epoch: epochOf(timer) };
}

/** Evaluates rules for their inputs, and admits the next occurrence when the run of one has ended. */
@Injectable()
export class FiringReactor implements Reactor {
  readonly name = 'firing';
  readonly lock = 'firing';
  readonly categories = [inputKind.category, conversationKind.category];

  constructor(
    private readonly firing: LiveFiring,
    private readonly states: FoldedStates,
    private readonly store: EventStore,
  ) {}

  /** Inputs of one automation are handled in the order in which they were recorded. */
  orderKey({ stream, payload: { automationId } }: StoredEvent): string {
    return typeof automationId === 'string' && idInStream(inputKind, stream) !== null ? automationId : stream;
  }

  async react(stored: StoredEvent): Promise<void> {
    if (stored.type === 'input.recorded') return this.input(stored);
    const conversationId = idInStream(conversationKind, stored.stream);
    if (stored.type === 'run.ended' && conversationId !== null) await this.handleRunEnd(stored, conversationId);
  }

  private async input(stored: StoredEvent): Promise<void> {
    const [opened = stored] = await this.store.open([stored]);
    const { event, position } = decodeEvent<InputRecorded>(inputKind, opened);
    await handleInput(this.firing.world(causeOfEvent('firing', stored)), event, position);
  }

  private async handleRunEnd(stored: StoredEvent, conversationId: string): Promise<void> {
    // A cached state suffices, because a conversation belongs to its automation from its first event on.
    const { state } = await this.states.cached(conversationKind, conversationId);
    const { runId } = stored.payload;
    if (state.automationId === null || typeof runId !== 'string') return;
    const world = this.firing.world(causeOfEvent('firing', stored));
    await handleRunEnded(world, asId<AutomationId>(state.automationId), asId<RunId>(runId));
  }
}
