import { Injectable } from '@nestjs/common';
import { conversationKind } from '@app/conversations';
import { decodeEvent, FoldedStates, idInStream, type StoredEvent } from '@app/event-store';
import { asId, causeOfEvent, type AutomationId, type RunId } from '@app/kernel';
import type { Reactor } from '@app/read-store';
import { inputKind, type InputRecorded } from '../inputs/input.stream';
import { handleInput, handleRunEnded } from './fire';
import { LiveFiring } from './live-firing';

/** Evaluates rules for their inputs, and admits the next occurrence when the run of one has ended. */
@Injectable()
export class FiringReactor implements Reactor {
  readonly name = 'firing';
  readonly lock = 'firing';
  readonly categories = [inputKind.category, conversationKind.category];

  constructor(
    private readonly firing: LiveFiring,
    private readonly states: FoldedStates,
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
    const { event, position } = decodeEvent<InputRecorded>(inputKind, stored);
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
