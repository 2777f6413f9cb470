import type { EventStoreDBClient } from '@eventstore/db-client';
import { convertToCommandError } from '@eventstore/db-client/dist/utils/CommandError';
import { StreamsClient, StreamsService } from '@eventstore/db-client/generated/streams_grpc_pb';
import { Unavailable } from '@app/kernel';
import { status, type Channel, type StatusObject } from '@grpc/grpc-js';
import { readAnswer, type ReadAnswer } from './answers';

/** Who gets what a call brings. */
export interface Reader {
  /** Takes an answer. The next one comes when it returns true, else when `more` is called. A throw ends the call with that error. */
  take(answer: ReadAnswer): boolean;
  /** The call is over: with null when the server has no more, or when it was cancelled without a reason. Must not throw. */
  end(error: Error | null): void;
}

const open = new WeakMap<EventStoreDBClient, Set<ReadCall>>();

/** Ends all reads and subscriptions of a client with Unavailable. */
export function cancelReads(client: EventStoreDBClient): void {
  const closed = new Unavailable('event store', { cause: new Error('the connection is closed') });
  for (const call of open.get(client) ?? []) call.cancel(closed);
}

/**
 * One call of `Streams.Read`, for a read or a subscription, on the channel, to the leader and with the credentials that the client has;
 * its members for that are protected. The client's own reads and subscriptions put three streams of objects, and four forms of each
 * event, between the bytes and their reader, which took three times the CPU.
 */
export class ReadCall {
  private call: ReturnType<Channel['createCall']> | null = null;
  /** Null when the call is over. */
  private reader: Reader | null;

  /** @param request an encoded `ReadReq` */
  constructor(
    private readonly client: EventStoreDBClient,
    request: Buffer,
    reader: Reader,
  ) {
    this.reader = reader;
    open.set(client, (open.get(client) ?? new Set()).add(this));
    // It tells the client what the call ends with, which then looks for the next leader, or the next node.
    client['execute'](StreamsClient, 'read', (streams) => this.over(streams, request)).then(
      () => this.end(null),
      (error: unknown) => this.end(convertToCommandError(asError(error))),
    );
  }

  /** Asks for the next answer. */
  more(): void {
    this.call?.startRead();
  }

  /** Ends the call; its reader is told at once. */
  cancel(reason: Error | null = null): void {
    const { call } = this;
    this.end(reason);
    call?.cancelWithStatus(status.CANCELLED, 'Cancelled on client');
  }

  /** Makes the call, and waits for its end. */
  private over(streams: StreamsClient, request: Buffer): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.reader === null) return resolve();
      const [metadata, { credentials }] = this.client['callArguments']({}, { deadline: Infinity });
      const call = streams.getChannel().createCall(StreamsService.read.path, Infinity, null, null, undefined);
      if (credentials !== undefined) call.setCredentials(credentials);
      this.call = call;
      call.start(metadata, {
        onReceiveMetadata: () => undefined,
        onReceiveMessage: (bytes: Buffer) => this.receive(bytes),
        onReceiveStatus: (end) => (end.code === status.OK || this.reader === null ? resolve() : reject(errorOf(end))),
      });
      call.startRead();
      call.sendMessageWithContext({}, request);
      call.halfClose();
    });
  }

  private receive(bytes: Buffer): void {
    try {
      if (this.reader?.take(readAnswer(bytes)) === true) this.more();
    } catch (error) {
      // Thrown here it would end the process.
      this.cancel(asError(error));
    }
  }

  private end(error: Error | null): void {
    const { reader } = this;
    open.get(this.client)?.delete(this);
    // Collections of young garbage keep the handle of an HTTP/2 stream and all that it leads to, which are this call and, from here on,
    // every event that was read: a fifth of what a read takes.
    [this.call, this.reader] = [null, null];
    reader?.end(error);
  }
}

/** As the client's stubs make it. */
function errorOf(end: StatusObject): Error {
  return Object.assign(new Error(`${end.code} ${status[end.code]}: ${end.details}`), end);
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
