import { NoTracing } from '@app/runtime';
import { counterKind, someCause, type CounterCommand } from '@app/testing/deciders';
import { FoldedStates, Streams, type DecideOptions, type EventStore, type ReadModels } from '../src';
import { KeptSnapshots } from './kept-snapshots';

/**
 * The parts of one process that counts: a client, a cache of states, and read models that record the positions they were asked to wait for.
 */
export class CountingProcess {
  readonly states: FoldedStates;
  readonly streams: Streams;
  readonly awaited: (number | null)[] = [];
  readonly readModels: ReadModels = {
    waitForProjection: async (position) => {
      this.awaited.push(position);
    },
  };

  constructor(readonly store: EventStore) {
    this.states = new FoldedStates(store, new KeptSnapshots());
    this.streams = new Streams(store, this.states, this.readModels, new NoTracing());
  }

  give(id: string, command: CounterCommand, options?: DecideOptions) {
    return this.streams.decide(counterKind, id, command, someCause(), options);
  }

  giveAll(id: string, commands: readonly CounterCommand[]) {
    return Promise.all(commands.map((command) => this.give(id, command)));
  }

  count(id: string, n: number, options?: DecideOptions) {
    return this.give(id, { type: 'Count', n }, options);
  }

  async numbersIn(id: string): Promise<unknown[]> {
    return (await this.store.readStream(`counter-${id}`, 0, 1_000)).map(({ payload }) => payload['n']);
  }
}
