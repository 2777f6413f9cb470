import {
  BACKWARDS,
  END,
  NO_STREAM,
  START,
  StreamNotFoundError,
  WrongExpectedVersionError,
  type EventData,
  type EventStoreDBClient,
} from '@eventstore/db-client';
import { Unavailable } from '@app/kernel';
import { Probe } from '@app/runtime';
import { setTimeout as sleep } from 'node:timers/promises';
import { decodeStored, type StoredEvent } from './codec';
import { isTransient } from './transient-errors';

/** How long an append whose answer was lost is sent again before the caller is told that the store is away. */
const resendForMs = 3_000;
/** How long one append or read may take; the client itself sets no deadline on reads and batch appends. */
const callTimeoutMs = 10_000;
const endProbeEvents = 32;

/** The end of a successful append. */
export interface Appended {
  readonly kind: 'appended';
  /** Revision of the last event of the append. */
  readonly revision: number;
  /** Position of the last event of the append in the whole store. */
  readonly position: number;
}

/** Appends and reads on EventStoreDB's protocol; every caller goes through here. Expected revision `any` does not exist. */
export class EventStore {
  constructor(
    readonly client: EventStoreDBClient,
    private readonly probe = new Probe(),
  ) {}

  /**
   * Appends all events or none, at exactly the expected revision (-1: the stream must not exist).
   * An answer that is lost is asked for again with the very same events, so the append happens once.
   * Answers `conflict` when the stream is at another revision. Throws Unavailable when the store stays away.
   */
  async append(
    stream: string,
    events: EventData[],
    expectedRevision: number,
  ): Promise<Appended | { kind: 'conflict' }> {
    const startedMs = performance.now();
    for (let pauseMs = 25; ; pauseMs = Math.min(pauseMs * 2, 400)) {
      try {
        return await this.appendOnce(stream, events, expectedRevision);
      } catch (error) {
        if (error instanceof WrongExpectedVersionError) return { kind: 'conflict' };
        if (!isTransient(error)) throw error;
        if (performance.now() - startedMs > resendForMs) throw new Unavailable('event store', { cause: error });
      }
      await sleep(pauseMs);
    }
  }

  /** Events of a stream, oldest first, from a revision (inclusive); none when the stream does not exist. */
  async readStream(stream: string, fromRevision: number, maxCount: number): Promise<StoredEvent[]> {
    const events: StoredEvent[] = [];
    try {
      const read = this.client.readStream(stream, { fromRevision: BigInt(fromRevision), maxCount });
      for await (const { event } of read) if (event) events.push(decodeStored(event));
      return events;
    } catch (error) {
      if (error instanceof StreamNotFoundError) return [];
      throw isTransient(error) ? new Unavailable('event store', { cause: error }) : error;
    }
  }

  /** Revision of the last event of a stream, or -1 when it has none. */
  async lastRevision(stream: string): Promise<number> {
    try {
      const read = this.client.readStream(stream, { fromRevision: END, direction: BACKWARDS, maxCount: 1 });
      let revision = -1;
      for await (const { event } of read) if (event) revision = Number(event.revision);
      return revision;
    } catch (error) {
      if (error instanceof StreamNotFoundError) return -1;
      throw isTransient(error) ? new Unavailable('event store', { cause: error }) : error;
    }
  }

  /** Position of the newest event that is not the server's own, or 0 in an empty store. */
  async endPosition(): Promise<number> {
    try {
      const read = this.client.readAll({ fromPosition: END, direction: BACKWARDS, maxCount: endProbeEvents });
      let end = 0;
      // Read to its end: the client never lets go of the call behind a read that is left early, and could not be disposed of.
      for await (const { event } of read) {
        if (end === 0 && event && !event.streamId.startsWith('$') && !event.type.startsWith('$')) {
          end = Number(event.position.commit);
        }
      }
      return end;
    } catch (error) {
      throw isTransient(error) ? new Unavailable('event store', { cause: error }) : error;
    }
  }

  /** Whether the store answers at all, within the given time. */
  async answers(withinMs: number): Promise<boolean> {
    const read = this.client.readAll({ fromPosition: START, maxCount: 1 });
    const timer = setTimeout(() => read.destroy(new Error('no answer in time')), withinMs);
    try {
      for await (const _ of read) continue;
      return true;
    } catch {
      // Any failure means the same here: the store cannot be used now.
      return false;
    } finally {
      clearTimeout(timer);
    }
  }

  private async appendOnce(stream: string, events: EventData[], expectedRevision: number): Promise<Appended> {
    const expected = expectedRevision === -1 ? NO_STREAM : BigInt(expectedRevision);
    this.probe.reached('append:before');
    const append = this.client.appendToStream(stream, events, { expectedRevision: expected, deadline: callTimeoutMs });
    const result = await withinTime(append, callTimeoutMs + 1_000);
    this.probe.reached('append:after');
    return {
      kind: 'appended',
      revision: Number(result.nextExpectedRevision),
      position: Number(result.position?.commit ?? 0n),
    };
  }
}

/** A batch append whose stream ends without an error is never answered by the client: hence a time-out of our own. */
async function withinTime<Value>(promise: Promise<Value>, timeoutMs: number): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, fail) => {
    timer = setTimeout(() => fail(new Unavailable('event store')), timeoutMs);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
