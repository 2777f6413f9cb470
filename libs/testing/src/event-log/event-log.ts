import type { AllStreamRecordedEvent } from '@eventstore/db-client';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectEventStore, isTransient, type StoredEvent } from '@app/event-store';

const readAttemptsMax = 60;
const askAgainMs = 250;

/**
 * All events of the product, in the order of the store; each read fetches only those that were appended since the last
 * one.
 */
export class EventLog {
  private readonly events: StoredEvent[] = [];
  private last = -1n;

  constructor(private readonly eventStoreUrl: string) {}

  /** Returns every event up to now; retries while the store is unavailable. */
  async upToNow(): Promise<readonly StoredEvent[]> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await this.readOn();
        return [...this.events];
      } catch (error) {
        if (attempt === readAttemptsMax || !isTransient(error)) throw error;
        await sleep(askAgainMs);
      }
    }
  }

  private async readOn(): Promise<void> {
    const client = connectEventStore(this.eventStoreUrl);
    try {
      const from = this.last < 0n ? {} : { fromPosition: { commit: this.last, prepare: this.last } };
      for await (const { event } of client.readAll(from)) {
        const position = event?.position?.commit ?? 0n;
        if (event === undefined || position <= this.last) continue;
        if (!event.streamId.startsWith('$') && !event.type.startsWith('$')) this.events.push(storedEvent(event));
        this.last = position;
      }
    } finally {
      await client.dispose();
    }
  }
}

/** Uses the client's own reading of the event, so that the product's decoding is tested too. */
function storedEvent({ streamId, revision, position, id, type, data, metadata }: AllStreamRecordedEvent): StoredEvent {
  const place = { stream: streamId, revision: Number(revision), position: Number(position.commit) };
  // Reason for the assertion: all events but the server's own are the product's.
  return { ...place, id, type, payload: data, metadata } as unknown as StoredEvent;
}

/** Returns every event of the product, in the order of the store. */
export async function readAllEvents(eventStoreUrl: string): Promise<readonly StoredEvent[]> {
  return new EventLog(eventStoreUrl).upToNow();
}
