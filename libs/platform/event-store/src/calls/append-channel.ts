import type { EventStoreDBClient } from '@eventstore/db-client';
import { unpackToCommandError } from '@eventstore/db-client/dist/streams/appendToStream/unpackError';
import { convertToCommandError } from '@eventstore/db-client/dist/utils/CommandError';
import { StreamsClient, StreamsService } from '@eventstore/db-client/generated/streams_grpc_pb';
import { BatchAppendResp } from '@eventstore/db-client/generated/streams_pb';
import { Unavailable } from '@app/kernel';
import type { CallOptions, ClientDuplexStream, Metadata } from '@grpc/grpc-js';
import { randomUUID } from 'node:crypto';
import { appendAnswer, appendRequests, type Place, type ProposedEvent } from '@app/event-store-wire';

type BatchCall = ClientDuplexStream<Buffer, Buffer>;

interface Waiting {
  readonly resolve: (place: Place) => void;
  readonly reject: (error: Error) => void;
}

/** The server answers at the deadline of an append, so the answer may arrive this much later. */
const answerGraceMs = 1_000;

/**
 * The appends of one client, over one BatchAppend call at a time. The client's own append keeps the appends of all its connections in one
 * place: a call that breaks anywhere rejects all of them, and the next answer to one of them is thrown outside every promise, which ends
 * the process (`@eventstore/db-client` 6.2.1, `batchAppend.js`). Here a call that ends rejects only the appends that it carried.
 */
export class AppendChannel {
  private current: Promise<AppendCall> | null = null;

  constructor(private readonly client: EventStoreDBClient) {}

  /**
   * Appends all events or none at exactly the expected revision (-1: the stream must not exist). Rejects with the server's error, such as
   * WrongExpectedVersionError, or with a transient error when the server did not answer within the deadline.
   * @param graceMs how long after the deadline to wait for the server's answer
   */
  async append(
    stream: string,
    events: readonly ProposedEvent[],
    expectedRevision: number,
    deadlineMs: number,
    graceMs = answerGraceMs,
  ): Promise<Place> {
    const id = randomUUID();
    const requests = appendRequests(id, stream, events, expectedRevision, Date.now() + deadlineMs);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(noAnswer('no answer in time')), deadlineMs + graceMs);
    });
    try {
      const call = await Promise.race([this.open(), late]);
      return await Promise.race([call.ask(id, requests), late]).finally(() => call.forget(id));
    } finally {
      clearTimeout(timer);
    }
  }

  private open(): Promise<AppendCall> {
    if (this.current !== null) return this.current;
    const opening = this.openAnew(() => {
      if (this.current === opening) this.current = null;
    });
    this.current = opening;
    return opening;
  }

  /** Uses the client's knowledge of the leader, its channel and its credentials; the members for that are protected. */
  private async openAnew(onEnd: () => void): Promise<AppendCall> {
    const { client } = this;
    const appends = new AppendCall(onEnd);
    const open = client['GRPCStreamCreator'](StreamsClient, 'batchAppend', (streams) =>
      appends.over(openBatch(streams, ...client['callArguments']({}, { deadline: Infinity }))),
    );
    try {
      await open();
      return appends;
    } catch (error) {
      onEnd();
      throw error;
    }
  }
}

/** Opens a BatchAppend call whose messages are already encoded. */
function openBatch(streams: StreamsClient, metadata: Metadata, options: CallOptions): BatchCall {
  const asItIs = (bytes: Buffer): Buffer => bytes;
  return streams.makeBidiStreamRequest(StreamsService.batchAppend.path, asItIs, asItIs, metadata, options);
}

/**
 * Appends that may wait for their answers. A process with so many is far behind, so the next append is refused at once, without being sent.
 */
const waitingMax = 5_000;

/** One BatchAppend call, with the appends that wait for its answers. */
class AppendCall {
  private call: BatchCall | null = null;
  private ended: Error | null = null;
  private readonly waiting = new Map<string, Waiting>();

  constructor(private readonly onEnd: () => void) {}

  over(call: BatchCall): BatchCall {
    this.call = call;
    call.on('data', (bytes: Buffer) => this.receive(bytes));
    call.on('error', (error) => this.end(convertToCommandError(error)));
    call.on('end', () => this.end(noAnswer('the call ended')));
    return call;
  }

  ask(id: string, requests: readonly Buffer[]): Promise<Place> {
    if (this.ended !== null) return Promise.reject(this.ended);
    if (this.waiting.size >= waitingMax) return Promise.reject(noAnswer('too many appends wait'));
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      for (const request of requests) this.call?.write(request);
    });
  }

  forget(id: string): void {
    this.waiting.delete(id);
  }

  private receive(bytes: Buffer): void {
    try {
      const { correlationId, place } = appendAnswer(bytes);
      // An answer that arrives too late is ignored.
      const append = this.waiting.get(correlationId);
      if (place === null) append?.reject(refusalIn(bytes));
      else append?.resolve(place);
    } catch (error) {
      // An error thrown here would end the process.
      this.end(noAnswer(`an answer that cannot be read: ${String(error)}`));
    }
  }

  private end(error: Error): void {
    if (this.ended !== null) return;
    this.ended = error;
    this.onEnd();
    for (const { reject } of this.waiting.values()) reject(error);
    this.call?.end(); // when the server ended it, the client waits until we end it too
  }
}

function refusalIn(bytes: Buffer): Error {
  const answer = BatchAppendResp.deserializeBinary(bytes);
  const status = answer.getError();
  if (status === undefined) return noAnswer('an empty answer');
  // A verdict on the append itself has a type of its own; any other status says why the append was not processed.
  const isOfAppend = status.getDetails()?.getTypeName().startsWith('event_store.client.') === true;
  return isOfAppend ? unpackToCommandError(status, streamOf(answer)) : noAnswer(status.getMessage());
}

function streamOf(answer: BatchAppendResp): string {
  return Buffer.from(answer.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString('utf8');
}

function noAnswer(why: string): Unavailable {
  return new Unavailable('event store', { cause: new Error(why) });
}
