import type { Tracing } from '@app/runtime';
import type { EventStore } from '../event-store';
import type { FoldedStates } from './folded-states';
import { KeyedQueue } from './keyed-queue';
import { streamName, type DomainEvent, type StreamKind } from '../events/stream-kind';
import { StreamTurn, type Decided, type Turn, type Waiting } from './stream-turn';

/** Commands of one process that may wait for one stream. */
const waitingPerStreamMax = 2_000;
/** Commands that are decided in one turn. */
const commandsPerTurnMax = 64;

/**
 * Runs this process's commands on each stream in the order of their arrival. All that wait when a turn begins are decided one after the
 * other, each on the state that those before it left, and appended at once, so that many commands on one stream cost as much as one.
 */
export class StreamTurns {
  private readonly turns = new KeyedQueue(waitingPerStreamMax);
  /** Keyed by stream, the oldest first; a stream has one kind, whose types are erased here. */
  private readonly waiting = new Map<string, Set<Waiting<unknown, unknown, DomainEvent>>>();

  constructor(
    private readonly store: EventStore,
    private readonly states: FoldedStates,
    private readonly tracing: Tracing,
  ) {}

  /** Decides the command in its turn. @throws Unavailable, TooBusy */
  async take<State, Command, Event extends DomainEvent>(
    kind: StreamKind<State, Command, Event>,
    id: string,
    turn: Turn<Command>,
  ): Promise<Decided<State, Event>> {
    const stream = streamName(kind, id);
    return new Promise((resolve, reject) => {
      const line = this.lineOf<State, Command, Event>(stream);
      const waiting = { ...turn, resolve, reject };
      line.add(waiting);
      // When an earlier turn has decided this command as well, nothing is left to do.
      this.turns
        .run(stream, () => this.decideNext(kind, id, line))
        .catch((error: unknown) => {
          if (line.delete(waiting)) waiting.reject(error);
        })
        .finally(() => {
          if (line.size === 0) this.waiting.delete(stream);
        });
    });
  }

  private lineOf<State, Command, Event extends DomainEvent>(stream: string): Set<Waiting<State, Command, Event>> {
    const known = this.waiting.get(stream);
    // Reason for the assertions: a stream's name implies its kind, so all that wait for it have the same types.
    if (known !== undefined) return known as unknown as Set<Waiting<State, Command, Event>>;
    const line = new Set<Waiting<State, Command, Event>>();
    this.waiting.set(stream, line);
    return line;
  }

  private async decideNext<State, Command, Event extends DomainEvent>(
    kind: StreamKind<State, Command, Event>,
    id: string,
    line: Set<Waiting<State, Command, Event>>,
  ): Promise<void> {
    const group = [...line].slice(0, commandsPerTurnMax);
    for (const one of group) line.delete(one);
    await new StreamTurn(kind, id, this.store, this.states, this.tracing).decide(group);
  }
}
