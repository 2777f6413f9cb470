import { jsonEvent, WrongExpectedVersionError, type EventStoreDBClient } from '@eventstore/db-client';
import type { AppendChannel } from './append-channel';
import { shares } from './open-calls';
import { ReadCalls } from './read-calls';
import { readOfAll } from '@app/event-store-wire';

/** A revision that no stream has. */
const nowhere = 1_000_000_000;

/** Checks whether the store answers, without queueing behind other calls. */
export class StoreHealthCheck {
  private readonly reads: ReadCalls;

  constructor(
    client: EventStoreDBClient,
    private readonly appends: AppendChannel,
  ) {
    this.reads = new ReadCalls(client, shares.looks);
  }

  /** Whether the store can be read and accepts appends, each within the given time. */
  async answers(withinMs: number): Promise<boolean> {
    try {
      await Promise.all([this.readOne(withinMs), this.appendNothing(withinMs)]);
      return true;
    } catch {
      // Any failure means the same here: the store cannot be used now.
      return false;
    }
  }

  /**
   * Reads one event of the whole store, if there is any, to find out whether reading works. Throws Unavailable, and the store's refusals.
   */
  async readOne(withinMs: number): Promise<void> {
    await this.reads.collect(readOfAll('start', 1, 'forwards'), withinMs, () => true);
  }

  /** Appends at a revision that no stream has: only a server that can write refuses it as a conflict. */
  private async appendNothing(withinMs: number): Promise<void> {
    const probe = jsonEvent({ type: 'probe', data: {} });
    try {
      await this.appends.append('probe', [probe], nowhere, withinMs, 0);
    } catch (error) {
      if (!(error instanceof WrongExpectedVersionError)) throw error;
    }
  }
}
