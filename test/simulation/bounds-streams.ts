import type { DomainEvent, StreamKind } from '@app/event-store';
import type { Pause } from './stepwise';

interface Folded {
  readonly events: DomainEvent[];
  state: unknown;
}

/** Streams in memory, decided and folded by the deciders of their kinds. */
export class MemoryStreams {
  private readonly folded = new Map<string, Folded>();

  state<State, Command, Event extends DomainEvent>(kind: StreamKind<State, Command, Event>, id: string): State {
    // Reason for the assertion: a stream's name begins with its kind.
    return this.of(kind, id).state as State;
  }

  events<State, Command, Event extends DomainEvent>(kind: StreamKind<State, Command, Event>, id: string): Event[] {
    // Reason for the assertion: as above.
    return this.of(kind, id).events as Event[];
  }

  given<State, Command, Event extends DomainEvent>(
    kind: StreamKind<State, Command, Event>,
    id: string,
    events: readonly Event[],
  ): void {
    const folded = this.of(kind, id);
    folded.events.push(...events);
    // Reason for the assertion: as above.
    folded.state = events.reduce((state, event) => kind.decider.evolve(state, event), folded.state as State);
  }

  /** Appends the events of a command. Returns whether there were any; a refusal appends nothing. */
  append<State, Command, Event extends DomainEvent>(
    kind: StreamKind<State, Command, Event>,
    id: string,
    command: Command,
  ): boolean {
    const decision = kind.decider.decide(command, this.state(kind, id));
    if (!decision.accepted) return false;
    this.given(kind, id, decision.events);
    return decision.events.length > 0;
  }

  /** The streams as one process sees them: anything may happen during a read, and between a read and its append. */
  paused(pause: Pause) {
    return {
      fresh: async <State, Command, Event extends DomainEvent>(kind: StreamKind<State, Command, Event>, id: string) => {
        await pause();
        const state = this.state(kind, id);
        await pause();
        return { state, revision: this.events(kind, id).length - 1 };
      },
      decide: async <State, Command, Event extends DomainEvent>(
        kind: StreamKind<State, Command, Event>,
        id: string,
        command: Command,
      ) => {
        for (;;) {
          await pause();
          const revision = this.events(kind, id).length;
          const decision = kind.decider.decide(command, this.state(kind, id));
          if (!decision.accepted) return { ok: false, refusal: decision.refusal } as const;
          await pause();
          if (decision.events.length > 0 && this.events(kind, id).length !== revision) continue;
          this.given(kind, id, decision.events);
          const value = { events: decision.events, state: this.state(kind, id), position: 0 };
          await pause();
          return { ok: true, value } as const;
        }
      },
    };
  }

  private of<State, Command, Event extends DomainEvent>(kind: StreamKind<State, Command, Event>, id: string): Folded {
    const name = `${kind.category}-${id}`;
    const found = this.folded.get(name) ?? { events: [], state: kind.decider.initialState };
    this.folded.set(name, found);
    return found;
  }
}
