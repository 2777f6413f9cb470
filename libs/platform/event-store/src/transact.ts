import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { EventData } from '@eventstore/db-client';
import { Unavailable, type Cause, type Refusal } from '@app/kernel';
import { Tracing } from '@app/runtime';
import { setTimeout as sleep } from 'node:timers/promises';
import { encodeEvent } from './codec';
import { EventStore } from './event-store';
import { FoldedStates, type Folded } from './folded-states';
import { streamName, type DomainEvent, type StreamKind } from './stream-kind';
import { KeyedQueue } from './keyed-queue';

/**
 * How long a command that loses races for its stream is decided again before the caller is told to come back. It is a time and not
 * a count, because a process that has won once need not read, and so keeps winning until its own queue is empty.
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

/** What a command came to: its events (none when there was nothing to do) and the state after them, or why not. */
export type Transacted<State, Event> =
  | {
      readonly accepted: true;
      readonly events: readonly Event[];
      readonly state: State;
      readonly revision: number;
      /** Position of the last appended event; null when nothing was appended. */
      readonly position: number | null;
    }
  | { readonly accepted: false; readonly refusal: Refusal; readonly state: State };

export interface TransactOptions {
  /** Set where the id was just minted: the stream is then not read before the first attempt. */
  readonly newStream?: boolean;
  /** Lost races after which the command is given up, before its time is over. */
  readonly racesMax?: number;
}

/** One command for one stream: folded, decided and appended at the exact revision that it was decided on. */
export class Transact<State, C, Event extends DomainEvent> extends Command<Transacted<State, Event>> {
  constructor(
    readonly kind: StreamKind<State, C, Event>,
    readonly id: string,
    readonly command: C,
    readonly cause: Cause,
    readonly options: TransactOptions = {},
  ) {
    super();
  }
}

/**
 * Serves every decider. A refusal, and "nothing to do", are only answered on a state that was read after the command arrived;
 * an acceptance is tried on the cached state, since the append's expected revision proves it right or wrong.
 * Throws Unavailable when the store stays away, TooBusy when too many commands want the stream at once.
 */
@CommandHandler(Transact)
export class TransactHandler implements ICommandHandler<Transact<unknown, unknown, DomainEvent>> {
  // Commands of one process on one stream queue up here instead of losing races against each other.
  private readonly streams = new KeyedQueue(waitingPerStreamMax);

  constructor(
    @Inject(EventStore) private readonly store: EventStore,
    @Inject(FoldedStates) private readonly states: FoldedStates,
    @Inject(Tracing) private readonly tracing: Tracing,
  ) {}

  async execute<State, C, Event extends DomainEvent>(
    transact: Transact<State, C, Event>,
  ): Promise<Transacted<State, Event>> {
    const stream = streamName(transact.kind, transact.id);
    if (!this.tracing.on) return this.streams.run(stream, () => this.decideAndAppend(transact));
    const { cause } = transact;
    const attributes = { 'parley.stream': stream, 'parley.request.id': cause.requestId };
    return this.tracing.span(
      `command ${nameOf(transact)}`,
      { cause: cause.correlationId, attributes },
      async (span) => {
        // A turn may begin amid somebody else's work.
        const body = () => this.tracing.within(span, () => this.decideAndAppend(transact));
        const done = await this.streams.run(stream, body);
        span?.set({ 'parley.accepted': done.accepted });
        return done;
      },
    );
  }

  private async decideAndAppend<State, C, Event extends DomainEvent>(
    transact: Transact<State, C, Event>,
  ): Promise<Transacted<State, Event>> {
    const { kind, id, command } = transact;
    const racesMax = transact.options.racesMax ?? Number.POSITIVE_INFINITY;
    let { folded, fresh } = await this.start(transact);
    const giveUpAtMs = performance.now() + contendForMs;
    let lostRaces = 0;
    while (lostRaces < racesMax && performance.now() < giveUpAtMs) {
      const decision = kind.decider.decide(command, folded.state);
      if (!decision.accepted || decision.events.length === 0) {
        if (fresh) return settle(decision, folded);
      } else {
        const appended = await this.append(transact, decision.events, folded);
        if (appended !== null) return appended;
        lostRaces += 1;
        await sleep(Math.random() * Math.min(lostRaces, pauseMaxMs));
      }
      folded = await this.states.current(kind, id);
      fresh = true;
    }
    throw new TooBusy(streamName(kind, id), lostRaces);
  }

  /** Each event gets a span of its own, under which whatever follows from it is found. */
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

  private async start<State, C, Event extends DomainEvent>({ kind, id, options }: Transact<State, C, Event>) {
    if (options.newStream === true) return { folded: { state: kind.decider.initialState, revision: -1 }, fresh: false };
    const cached = this.states.cached(kind, id);
    return cached ? { folded: cached, fresh: false } : { folded: await this.states.current(kind, id), fresh: true };
  }

  private async append<State, C, Event extends DomainEvent>(
    { kind, id, cause }: Transact<State, C, Event>,
    events: readonly Event[],
    from: Folded<State>,
  ): Promise<Transacted<State, Event> | null> {
    const encoded = events.map((event) => encodeEvent(kind, event, cause));
    try {
      const appended = await this.tracedAppend(streamName(kind, id), encoded, from.revision, cause);
      if (appended.kind === 'conflict') return null;
      const { state, revision } = this.states.advance(
        kind,
        id,
        from,
        events.map((event) => ({ event })),
      );
      return { accepted: true, events, state, revision, position: appended.position };
    } catch (error) {
      this.states.forget(kind, id);
      throw error;
    }
  }
}

/** What the commands of a stream are told apart by; where there is but one, the stream's category names it. */
function nameOf({ kind, command }: Transact<unknown, unknown, DomainEvent>): string {
  const named = typeof command === 'object' && command !== null && 'type' in command ? command.type : null;
  return typeof named === 'string' ? named : kind.category;
}

function settle<State, Event>(
  decision: { accepted: true } | { accepted: false; refusal: Refusal },
  { state, revision }: Folded<State>,
): Transacted<State, Event> {
  return decision.accepted
    ? { accepted: true, events: [], state, revision, position: null }
    : { accepted: false, refusal: decision.refusal, state };
}
