import { MaxAppendSizeExceededError, type EventData } from '@eventstore/db-client';
import { Unavailable, type Cause, type Refusal } from '@app/kernel';
import type { Tracing } from '@app/runtime';
import { KeyDestroyed } from '@app/sealing';
import { setTimeout as sleep } from 'node:timers/promises';
import { encodeEvent, toStoredEvent, type StoredEvent } from '../events/codec';
import { personalPathsOf } from '../events/personal-paths';
import { eraseEvent, sealEvent } from '../events/sealed-events';
import type { EventStore } from '../event-store';
import type { Folded, FoldedStates } from './folded-states';
import { streamName, type DomainEvent, type StreamKind } from '../events/stream-kind';

/**
 * How long a command that loses races for its stream is retried before the caller gets TooBusy. It is a time rather than a count, because a
 * process that has won once need not read, and so keeps winning until its own queue is empty.
 */
const contendForMs = 5_000;
/** After a lost race follows a random pause, longer each time up to this, so that processes fall out of step. */
const pauseMaxMs = 20;

/** Others took the stream each time. Nothing was recorded, and the command may be given again. */
export class TooBusy extends Unavailable {
  /** @param lostRaces how many appends of the command were refused because others were first */
  constructor(
    stream: string,
    readonly lostRaces = 0,
  ) {
    super('event store', { cause: new Error(`${stream} is too busy`) });
  }
}

/** The outcome of an accepted command. */
export interface Accepted<State, Event> {
  /** Empty when there was nothing to do. */
  readonly events: readonly Event[];
  /** The same events, as stored. */
  readonly stored: readonly StoredEvent[];
  /** The state after the events. */
  readonly state: State;
  readonly revision: number;
  /** Position of the append's last event; null when nothing was appended. */
  readonly position: number | null;
}

/** A Result that also returns the state on which a command was refused. */
export type Decided<State, Event> =
  | { readonly ok: true; readonly value: Accepted<State, Event> }
  | { readonly ok: false; readonly refusal: Refusal; readonly state: State };

/**
 * The state on which a command is first tried. `cached`: the one that this process last saw, or a fresh one when it has none.
 * `assume-new`: that of a stream without events, unread, for an id that was just created. If either is behind, the append fails, and the
 * command is decided again on a fresh state.
 */
export type FirstRead = 'cached' | 'assume-new';

/** A command that waits for its turn. */
export interface Turn<Command> {
  readonly command: Command;
  readonly cause: Cause;
  readonly read?: FirstRead | undefined;
  /** Lost races after which the command is given up, before its time is over. */
  readonly racesMax?: number | undefined;
  /** Runs the work in the command's own span. */
  within<Value>(this: void, work: () => Promise<Value>): Promise<Value>;
}

/** A turn whose outcome a caller waits for. */
export interface Waiting<State, Command, Event> extends Turn<Command> {
  resolve(this: void, decided: Decided<State, Event>): void;
  reject(this: void, error: unknown): void;
}

/** The outcome of a turn on the state that the turns before it left: events, or a refusal. */
interface Outcome<State, Command, Event extends DomainEvent> {
  readonly of: Waiting<State, Command, Event>;
  readonly events: readonly Event[];
  readonly encoded: readonly EventData[];
  readonly refusal: Refusal | null;
  readonly after: Folded<State>;
}

/** One turn on one stream: commands that are decided one after the other, and appended at once. */
export class StreamTurn<State, Command, Event extends DomainEvent> {
  private readonly stream: string;

  constructor(
    private readonly kind: StreamKind<State, Command, Event>,
    private readonly id: string,
    private readonly store: EventStore,
    private readonly states: FoldedStates,
    private readonly tracing: Tracing,
  ) {
    this.stream = streamName(kind, id);
  }

  /** Settles every command; never rejects. */
  async decide(group: readonly Waiting<State, Command, Event>[]): Promise<void> {
    try {
      await this.contend(group);
    } catch (error) {
      // Each may be small enough by itself.
      if (error instanceof MaxAppendSizeExceededError && group.length > 1) {
        for (const one of group) await this.decide([one]);
      } else for (const one of group) one.reject(error);
    }
  }

  private async contend(asked: readonly Waiting<State, Command, Event>[]): Promise<void> {
    this.store.damaged.refuse(this.stream);
    const giveUpAtMs = performance.now() + contendForMs;
    let group = asked;
    let { folded, fresh } = await this.start(group);
    for (let lostRaces = 0; group.length > 0;) {
      const outcomes = this.decideInTurn(group, folded);
      if (fresh || outcomes.every(({ encoded }) => encoded.length > 0)) {
        const position = await this.append(outcomes, folded);
        if (position !== 'conflict') return settle(outcomes, this.stream, position);
        lostRaces += 1;
        group = this.stillContending(group, lostRaces, giveUpAtMs);
        await sleep(Math.random() * Math.min(lostRaces, pauseMaxMs));
      }
      folded = await this.states.fresh(this.kind, this.id);
      fresh = true;
    }
  }

  private async start(group: readonly Waiting<State, Command, Event>[]) {
    if (group[0]?.read === 'assume-new')
      return { folded: { state: this.kind.decider.initialState, revision: -1 }, fresh: false };
    const cached = this.states.peek(this.kind, this.id);
    if (cached !== null) return { folded: cached, fresh: false };
    return { folded: await this.states.fresh(this.kind, this.id), fresh: true };
  }

  private decideInTurn(
    group: readonly Waiting<State, Command, Event>[],
    from: Folded<State>,
  ): Outcome<State, Command, Event>[] {
    const { decider } = this.kind;
    let before = from;
    return group.map((one) => {
      const decision = decider.decide(one.command, before.state);
      const events = decision.accepted ? decision.events : [];
      const state = events.reduce((folded, event) => decider.evolve(folded, event), before.state);
      const after = { state, revision: before.revision + events.length };
      before = after;
      const encoded = events.map((event) => encodeEvent(this.kind, event, one.cause));
      return { of: one, events, encoded, refusal: decision.accepted ? null : decision.refusal, after };
    });
  }

  /** Returns the position of the last event, or null when there is nothing to append. */
  private async append(
    outcomes: readonly Outcome<State, Command, Event>[],
    from: Folded<State>,
  ): Promise<number | null | 'conflict'> {
    const encoded = outcomes.flatMap((outcome) => outcome.encoded);
    const first = outcomes.find((outcome) => outcome.encoded.length > 0);
    const last = outcomes.at(-1);
    if (first === undefined || last === undefined) return null;
    const { feed } = this.store;
    const sealed = await this.sealed(encoded, last.after.state);
    const append = async () => {
      const appended = await this.tracedAppend(sealed, from.revision, first.of.cause);
      if (appended.kind === 'conflict') return 'conflict';
      this.states.keep(this.kind, this.id, last.after);
      const { position } = appended;
      feed.publish(encoded.map((event, n) => toStoredEvent(event, this.stream, from.revision + 1 + n, position)));
      return position;
    };
    try {
      return await feed.appending(encoded, () => first.of.within(append));
    } catch (error) {
      this.states.forget(this.kind, this.id);
      throw error;
    }
  }

  /** Returns the events as they are stored. Throws KeyDestroyed, Unavailable. @param state after all of them */
  private async sealed(encoded: readonly EventData[], state: State): Promise<readonly EventData[]> {
    const { members, sealedFor } = this.kind;
    const { keys } = this.store;
    if (keys === null || encoded.every(({ type }) => personalPathsOf(members, type).length === 0)) return encoded;
    if (sealedFor === undefined) throw new Error(`streams ${this.kind.category} do not say which key seals them`);
    const place = sealedFor(this.id, state);
    const pathsOf = ({ type }: EventData) => personalPathsOf(members, type);
    try {
      const key = await keys.keyOf(place);
      return encoded.map((event) => sealEvent(event, pathsOf(event), place.keyId, key));
    } catch (error) {
      if (!(error instanceof KeyDestroyed) || !encoded.every((event) => this.needsNoWords(event))) throw error;
      const erased = (event: EventData) => eraseEvent(event, pathsOf(event), place.keyId);
      return encoded.map((event) => (pathsOf(event).length === 0 ? event : erased(event)));
    }
  }

  private needsNoWords({ type }: EventData): boolean {
    const { members, withoutWords = [] }: { readonly members: object; readonly withoutWords?: readonly string[] } =
      this.kind;
    return personalPathsOf(members, type).length === 0 || withoutWords.includes(type);
  }

  /** Gives each event a span of its own, the parent of the spans that the event causes. */
  private async tracedAppend(encoded: readonly EventData[], expectedRevision: number, cause: Cause) {
    return this.tracing.span('append', { cause: cause.correlationId }, async () => {
      const appended = await this.store.append(this.stream, [...encoded], expectedRevision);
      if (this.tracing.on && appended.kind === 'appended') {
        for (const { type, id } of encoded)
          this.tracing.begin(type, { cause: cause.correlationId, ofEvent: id })?.end();
      }
      return appended;
    });
  }

  /** Returns the commands that may try again; rejects the others with TooBusy. */
  private stillContending(
    group: readonly Waiting<State, Command, Event>[],
    lostRaces: number,
    giveUpAtMs: number,
  ): readonly Waiting<State, Command, Event>[] {
    const isLate = performance.now() >= giveUpAtMs;
    const mayTry = ({ racesMax = Number.POSITIVE_INFINITY }: Turn<Command>) => !isLate && lostRaces < racesMax;
    for (const one of group) if (!mayTry(one)) one.reject(new TooBusy(this.stream, lostRaces));
    return group.filter(mayTry);
  }
}

/** Resolves each with the outcome of its own command. */
function settle<State, Command, Event extends DomainEvent>(
  outcomes: readonly Outcome<State, Command, Event>[],
  stream: string,
  position: number | null,
): void {
  for (const { of, events, encoded, refusal, after } of outcomes) {
    if (refusal !== null) of.resolve({ ok: false, refusal, state: after.state });
    else {
      const first = after.revision + 1 - encoded.length;
      const stored = encoded.map((event, n) => toStoredEvent(event, stream, first + n, position ?? 0));
      of.resolve({ ok: true, value: { events, stored, ...after, position: events.length > 0 ? position : null } });
    }
  }
}
