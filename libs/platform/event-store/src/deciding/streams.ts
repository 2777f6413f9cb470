import { Inject, Injectable } from '@nestjs/common';
import type { Cause } from '@app/kernel';
import { Tracing } from '@app/runtime';
import { EventStore } from '../event-store';
import { FoldedStates } from './folded-states';
import { ReadModels } from './read-models';
import { streamName, type DomainEvent, type StreamKind } from '../events/stream-kind';
import type { Decided, FirstRead } from './stream-turn';
import { StreamTurns } from './stream-turns';

export interface DecideOptions {
  /** The state on which the command is first tried; `cached` when absent. */
  readonly read?: FirstRead;
  /** Lost races after which the command is given up, before its time is over. */
  readonly racesMax?: number;
  /** Return an acceptance only when the read models have passed it, or take too long. */
  readonly visible?: boolean;
}

/** One command for one stream, with its cause. */
interface Given<State, Command, Event extends DomainEvent> {
  readonly kind: StreamKind<State, Command, Event>;
  readonly id: string;
  readonly command: Command;
  readonly cause: Cause;
  readonly options: DecideOptions;
}

/** The streams of the event store: every command of every decider goes through here. */
@Injectable()
export class Streams {
  private readonly turns: StreamTurns;

  constructor(
    @Inject(EventStore) store: EventStore,
    @Inject(FoldedStates) states: FoldedStates,
    @Inject(ReadModels) private readonly readModels: ReadModels,
    @Inject(Tracing) private readonly tracing: Tracing,
  ) {
    this.turns = new StreamTurns(store, states, tracing);
  }

  /**
   * Folds the stream, decides, and appends at exactly the revision that was decided on. A refusal, or "nothing to do", is only returned on
   * a state that was read after the command arrived; an acceptance is tried on the cached state, because the append's expected revision
   * proves it right or wrong. Commands of this process that wait for one stream are decided in turn, and their events are appended at once.
   * Throws Unavailable when the store stays unavailable, TooBusy when too many commands want the stream at once.
   * @example
   * const done = await this.streams.decide(partnerKeyKind, keyId, { type: 'RevokeKey', at: clock.now() }, cause, { visible: true });
   * if (!done.ok) return refuse(done.refusal);
   */
  async decide<State, Command, Event extends DomainEvent>(
    kind: StreamKind<State, Command, Event>,
    id: string,
    command: Command,
    cause: Cause,
    options: DecideOptions = {},
  ): Promise<Decided<State, Event>> {
    const decided = await this.decideInTurn({ kind, id, command, cause, options });
    if (decided.ok && options.visible === true) await this.readModels.waitForProjection(decided.value.position);
    return decided;
  }

  private async decideInTurn<State, Command, Event extends DomainEvent>(
    given: Given<State, Command, Event>,
  ): Promise<Decided<State, Event>> {
    const { kind, id, command, cause, options } = given;
    if (!this.tracing.on) return this.turns.take(kind, id, { command, cause, ...options, within: atOnce });
    const attributes = { 'parley.stream': streamName(kind, id), 'parley.request.id': cause.requestId };
    return this.tracing.span(`command ${nameOf(given)}`, { cause: cause.correlationId, attributes }, async (span) => {
      // A turn may begin in the middle of another caller's work.
      const within = <Value>(body: () => Promise<Value>) => this.tracing.within(span, body);
      const decided = await this.turns.take(kind, id, { command, cause, ...options, within });
      span?.set({ 'parley.accepted': decided.ok });
      return decided;
    });
  }
}

function atOnce<Value>(body: () => Promise<Value>): Promise<Value> {
  return body();
}

/** The name of a command in traces: its type, or the stream's category if the stream has only one command. */
function nameOf({
  kind,
  command,
}: {
  readonly kind: { readonly category: string };
  readonly command: unknown;
}): string {
  const named = typeof command === 'object' && command !== null && 'type' in command ? command.type : null;
  return typeof named === 'string' ? named : kind.category;
}
