import type { EventStoreDBClient } from '@eventstore/db-client';
import { convertToCommandError } from '@eventstore/db-client/dist/utils/CommandError';
import { StreamsClient, StreamsService } from '@eventstore/db-client/generated/streams_grpc_pb';
import { Unavailable } from '@app/kernel';
import { status, type Channel, type StatusObject } from '@grpc/grpc-js';
import { readAnswer, type ReadAnswer } from '@app/event-store-wire';

/** Receiver of the answers of a call. */
export interface Reader {
  /**
   * Receives an answer. The next one follows when it returns true, otherwise when `more` is called. A throw ends the call with that error.
   */
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
 * One call of `Streams.Read`, for a read or a subscription, on the client's channel to the leader and with its credentials; the members for
 * that are protected. The client's own reads and subscriptions put three object streams, and four forms of each event, between the bytes
 * and their reader, which took three times the CPU.
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
    // `execute` reports the call's error to the client, which then finds the next leader or node.
    client['execute'](StreamsClient, 'read', (streams) => this.over(streams, request)).then(
      () => this.end(null),
      (error: unknown) => this.end(convertToCommandError(asError(error))),
    );
  }

  /** Asks for the next answer. */
  more(): void {
    this.call?.startRead();
  }

  /** Ends the call and notifies its reader at once. */
  cancel(reason: Error | null = null): void {
    const { call } = this;
    this.end(reason);
    call?.cancelWithStatus(status.CANCELLED, 'Cancelled on client');
  }

  /** Starts the call, and resolves at its end. */
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
      // An error thrown here would end the process.
      this.cancel(asError(error));
    }
  }

  private end(error: Error | null): void {
    const { reader } = this;
    open.get(this.client)?.delete(this);
    // Minor garbage collections keep the handle of an HTTP/2 stream and everything that it references: this call and, through it, every
    // event that was read. Clearing these saves a fifth of a read's cost.
    [this.call, this.reader] = [null, null];
    reader?.end(error);
  }
}

/** Builds the error as the client's stubs do. */
function errorOf(end: StatusObject): Error {
  return Object.assign(new Error(`${end.code} ${status[end.code]}: ${end.details}`), end);
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
