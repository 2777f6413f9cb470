import { Inject, Injectable } from '@nestjs/common';
import type { EventData } from '@eventstore/db-client';
import { Unavailable, type Cause, type Refusal } from '@app/kernel';
import { Tracing } from '@app/runtime';
import { setTimeout as sleep } from 'node:timers/promises';
import { encodeEvent, toStoredEvent } from './codec';
import { EventStore } from './event-store';
import { FoldedStates, type Folded } from './folded-states';
import { KeyedQueue } from './keyed-queue';
import { ReadModels } from './read-models';
import { streamName, type DomainEvent, type StreamKind } from './stream-kind';

/**
 * How long a command that loses races for its stream is retried before the caller gets TooBusy. It is a time rather than a count,
 * because a process that has won once need not read, and so keeps winning until its own queue is empty.
 */
const contendForMs = 5_000;
/** After a lost race comes a random pause, longer each time up to this, so that processes fall out of step. */
const pauseMaxMs = 20;
/** Commands of one process that may wait for one stream. */
const waitingPerStreamMax = 2_000;

/** The stream was taken by others each time. Nothing was recorded, and the command may be given again. */
export class TooBusy extends Unavailable {
  /** @param lostRaces how many appends of the command were refused since others came first */
  constructor(
    stream: string,
    readonly lostRaces = 0,
  ) {
    super('event store', { cause: new Error(`${stream} is too busy`) });
  }
}

/** What an accepted command came to. */
export interface Accepted<State, Event> {
  /** Empty when there was nothing to do. */
  readonly events: readonly Event[];
  /** After the events. */
  readonly state: State;
  readonly revision: number;
  /** Position of the last appended event; null when nothing was appended. */
  readonly position: number | null;
}

/** A Result that also tells the state on which a command was refused. */
export type Decided<State, Event> =
  | { readonly ok: true; readonly value: Accepted<State, Event> }
  | { readonly ok: false; readonly refusal: Refusal; readonly state: State };

export interface DecideOptions {
  /** Set where the id was just minted: the stream is then not read before the first attempt. */
  readonly newStream?: boolean;
  /** Lost races after which the command is given up, before its time is over. */
  readonly racesMax?: number;
  /** Answer an acceptance only when the read models have passed it, or take too long. */
  readonly visible?: boolean;
}

/** One command for one stream, and why it is given. */
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
  // Commands of one process on one stream queue up here instead of losing races against each other.
  private readonly turns = new KeyedQueue(waitingPerStreamMax);

  constructor(
    @Inject(EventStore) private readonly store: EventStore,
    @Inject(FoldedStates) private readonly states: FoldedStates,
    @Inject(ReadModels) private readonly readModels: ReadModels,
    @Inject(Tracing) private readonly tracing: Tracing,
  ) {}

  /**
   * Folds the stream, decides, and appends at the exact revision that was decided on. A refusal, and "nothing to do", are only
   * answered on a state that was read after the command arrived; an acceptance is tried on the cached state, since the append's
   * expected revision proves it right or wrong.
   * Throws Unavailable when the store stays away, TooBusy when too many commands want the stream at once.
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
    const stream = streamName(given.kind, given.id);
    if (!this.tracing.on) return this.turns.run(stream, () => this.decideAndAppend(given));
    const { correlationId, requestId } = given.cause;
    const attributes = { 'parley.stream': stream, 'parley.request.id': requestId };
    return this.tracing.span(`command ${nameOf(given)}`, { cause: correlationId, attributes }, async (span) => {
      // A turn may begin amid somebody else's work.
      const body = () => this.tracing.within(span, () => this.decideAndAppend(given));
      const decided = await this.turns.run(stream, body);
      span?.set({ 'parley.accepted': decided.ok });
      return decided;
    });
  }

  private async decideAndAppend<State, Command, Event extends DomainEvent>(
    given: Given<State, Command, Event>,
  ): Promise<Decided<State, Event>> {
    const { kind, id, command, options } = given;
    const racesMax = options.racesMax ?? Number.POSITIVE_INFINITY;
    let { folded, fresh } = await this.start(given);
    const giveUpAtMs = performance.now() + contendForMs;
    let lostRaces = 0;
    while (lostRaces < racesMax && performance.now() < giveUpAtMs) {
      const decision = kind.decider.decide(command, folded.state);
      if (!decision.accepted || decision.events.length === 0) {
        if (fresh) return settle(decision, folded);
      } else {
        const appended = await this.append(given, decision.events, folded);
        if (appended !== null) return { ok: true, value: appended };
        lostRaces += 1;
        await sleep(Math.random() * Math.min(lostRaces, pauseMaxMs));
      }
      folded = await this.states.current(kind, id);
      fresh = true;
    }
    throw new TooBusy(streamName(kind, id), lostRaces);
  }

  private async start<State, Command, Event extends DomainEvent>({ kind, id, options }: Given<State, Command, Event>) {
    if (options.newStream === true) return { folded: { state: kind.decider.initialState, revision: -1 }, fresh: false };
    const cached = this.states.cached(kind, id);
    return cached ? { folded: cached, fresh: false } : { folded: await this.states.current(kind, id), fresh: true };
  }

  /** Null when others came first. */
  private async append<State, Command, Event extends DomainEvent>(
    { kind, id, cause }: Given<State, Command, Event>,
    events: readonly Event[],
    from: Folded<State>,
  ): Promise<Accepted<State, Event> | null> {
    const stream = streamName(kind, id);
    const { feed } = this.store;
    const encoded = events.map((event) => encodeEvent(kind, event, cause));
    const append = async () => {
      const appended = await this.tracedAppend(stream, encoded, from.revision, cause);
      if (appended.kind === 'conflict') return null;
      const { position } = appended;
      const news = events.map((event) => ({ event }));
      const { state, revision } = this.states.advance(kind, id, from, news);
      feed.publish(encoded.map((event, n) => toStoredEvent(event, stream, from.revision + 1 + n, position)));
      return { events, state, revision, position };
    };
    try {
      return await feed.appending(encoded, append);
    } catch (error) {
      this.states.forget(kind, id);
      throw error;
    }
  }

  /** Gives each event a span of its own, the parent of the spans that the event causes. */
  private async tracedAppend(stream: string, encoded: EventData[], expectedRevision: number, cause: Cause) {
    return this.tracing.span('append', { cause: cause.correlationId }, async () => {
      const appended = await this.store.append(stream, encoded, expectedRevision);
      if (this.tracing.on && appended.kind === 'appended') {
        for (const { type, id } of encoded)
          this.tracing.begin(type, { cause: cause.correlationId, ofEvent: id })?.end();
      }
      return appended;
    });
  }
}

/** Names a command in traces: its type, or the stream's category where the stream has one command only. */
function nameOf({ kind, command }: Given<unknown, unknown, DomainEvent>): string {
  const named = typeof command === 'object' && command !== null && 'type' in command ? command.type : null;
  return typeof named === 'string' ? named : kind.category;
}

function settle<State, Event>(
  decision: { readonly accepted: true } | { readonly accepted: false; readonly refusal: Refusal },
  { state, revision }: Folded<State>,
): Decided<State, Event> {
  return decision.accepted
    ? { ok: true, value: { events: [], state, revision, position: null } }
    : { ok: false, refusal: decision.refusal, state };
}
