import type { EventStoreDBClient } from '@eventstore/db-client';
import { Empty, StreamIdentifier, UUID } from '@eventstore/db-client/generated/shared_pb';
import { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb';
import { AppendReq, ReadReq, type AppendResp, type ReadResp } from '@eventstore/db-client/generated/streams_pb';
import { connectEventStore, isTransient } from '@app/event-store';
import { Unavailable } from '@app/kernel';
import type { CallOptions, ClientReadableStream, Metadata } from '@grpc/grpc-js';
import { setTimeout as sleep } from 'node:timers/promises';

/** An event with the very bytes that the store keeps. */
export interface VerbatimEvent {
  readonly stream: string;
  readonly revision: bigint;
  /** Its place in the whole store. */
  readonly position: bigint;
  /** Lower-case UUID. */
  readonly id: string;
  readonly type: string;
  readonly contentType: string;
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
}

type Place = { readonly commit: string; readonly prepare: string };

/** What the client keeps for itself: it parses JSON on the way in and spells it anew on the way out, and bytes must stay as they are. */
interface Channels {
  execute<Value>(
    service: typeof StreamsClient,
    name: string,
    call: (client: StreamsClient) => Promise<Value>,
  ): Promise<Value>;
  GRPCStreamCreator(
    service: typeof StreamsClient,
    name: string,
    open: (client: StreamsClient) => ClientReadableStream<ReadResp>,
  ): () => Promise<ClientReadableStream<ReadResp>>;
  callArguments(base: object, options?: CallOptions): [Metadata, CallOptions];
}

/** The target has other events in a stream than those that are to come next there. */
export class WrongRevision extends Error {}

const pageEvents = 1_000;
const appendDeadlineMs = 20_000;
/** How long an append whose answer was lost is sent again; the store recognizes it by its ids. */
const resendForMs = 60_000;
const resendPauseMs = 500;

/** A store as one sequence of events, byte by byte. */
export class VerbatimStore {
  private readonly client: EventStoreDBClient;

  constructor(url: string) {
    this.client = connectEventStore(url, 'catch-ups');
  }

  /** All events but the server's own, in the order of the store. @throws Unavailable */
  async *events(): AsyncGenerator<VerbatimEvent> {
    for (let after: Place | null = null; ;) {
      const page = await this.page(after);
      for (const { event, place } of page) {
        if (event !== null) yield event;
        after = place;
      }
      if (page.length === 0) return;
    }
  }

  /** Appends to a stream that is exactly at `expectedRevision` (-1n: it does not exist). @throws WrongRevision, Unavailable */
  async append(stream: string, expectedRevision: bigint, events: readonly VerbatimEvent[]): Promise<void> {
    const startedMs = performance.now();
    for (;;) {
      try {
        return await this.appendOnce(stream, expectedRevision, events);
      } catch (error) {
        if (!isTransient(error)) throw error;
        if (performance.now() - startedMs > resendForMs) throw new Unavailable('event store', { cause: error });
      }
      await sleep(resendPauseMs);
    }
  }

  async close(): Promise<void> {
    await this.client.dispose();
  }

  private get channels(): Channels {
    // Reason for the assertion: the client has no verbatim call, and these members are protected, not private.
    return this.client as unknown as Channels;
  }

  private async page(after: Place | null): Promise<{ readonly event: VerbatimEvent | null; readonly place: Place }[]> {
    const open = this.channels.GRPCStreamCreator(StreamsClient, 'readAll', (client) =>
      client.read(readRequest(after), ...this.channels.callArguments({}, { deadline: Infinity })),
    );
    const found: { event: VerbatimEvent | null; place: Place }[] = [];
    try {
      // Reason for the assertion: grpc-js types its streams' items as any.
      for await (const response of (await open()) as AsyncIterable<ReadResp>) {
        const recorded = response.getEvent()?.getEvent();
        if (recorded === undefined) continue;
        const place = { commit: recorded.getCommitPosition(), prepare: recorded.getPreparePosition() };
        // A read begins with the event at its place.
        if (place.commit === after?.commit && place.prepare === after.prepare) continue;
        found.push({ event: verbatim(recorded), place });
      }
    } catch (error) {
      throw isTransient(error) ? new Unavailable('event store', { cause: error }) : error;
    }
    return found;
  }

  private async appendOnce(stream: string, expectedRevision: bigint, events: readonly VerbatimEvent[]): Promise<void> {
    const { channels } = this;
    const answer = await channels.execute(
      StreamsClient,
      'appendToStream',
      (client) =>
        new Promise<AppendResp>((resolve, reject) => {
          const [metadata, options] = channels.callArguments({}, { deadline: Date.now() + appendDeadlineMs });
          const sink = client.append(metadata, options, (error, response) =>
            error === null ? resolve(response) : reject(error),
          );
          sink.on('error', reject);
          sink.write(appendOptions(stream, expectedRevision));
          for (const event of events) sink.write(proposed(event));
          sink.end();
        }),
    );
    if (answer.hasWrongExpectedVersion()) throw new WrongRevision(`${stream} is not at revision ${expectedRevision}`);
  }
}

function verbatim(recorded: ReadResp.ReadEvent.RecordedEvent): VerbatimEvent | null {
  const stream = textOf(recorded.getStreamIdentifier()?.getStreamName_asU8());
  const type = recorded.getMetadataMap().get('type') ?? '';
  // The end of a stream is one of the server's own events too, and yet a fact of that stream: it is for the caller to see.
  if (stream.startsWith('$') || (type.startsWith('$') && type !== streamDeleted)) return null;
  return {
    stream,
    type,
    revision: BigInt(recorded.getStreamRevision()),
    position: BigInt(recorded.getCommitPosition()),
    id: recorded.getId()?.getString().toLowerCase() ?? '',
    contentType: recorded.getMetadataMap().get('content-type') ?? '',
    data: recorded.getData_asU8(),
    metadata: recorded.getCustomMetadata_asU8(),
  };
}

/** The type of the event that ends a deleted stream. */
export const streamDeleted = '$streamDeleted';

function textOf(bytes: Uint8Array | undefined): string {
  return bytes === undefined ? '' : Buffer.from(bytes).toString('utf8');
}

function readRequest(after: Place | null): ReadReq {
  const all = new ReadReq.Options.AllOptions();
  if (after === null) all.setStart(new Empty());
  else {
    const position = new ReadReq.Options.Position();
    position.setCommitPosition(after.commit);
    position.setPreparePosition(after.prepare);
    all.setPosition(position);
  }
  const options = new ReadReq.Options();
  const uuids = new ReadReq.Options.UUIDOption();
  uuids.setString(new Empty());
  options.setAll(all);
  options.setCount(String(pageEvents));
  options.setUuidOption(uuids);
  options.setNoFilter(new Empty());
  options.setReadDirection(ReadReq.Options.ReadDirection.FORWARDS);
  const request = new ReadReq();
  request.setOptions(options);
  return request;
}

function appendOptions(stream: string, expectedRevision: bigint): AppendReq {
  const identifier = new StreamIdentifier();
  identifier.setStreamName(Buffer.from(stream).toString('base64'));
  const options = new AppendReq.Options();
  options.setStreamIdentifier(identifier);
  if (expectedRevision < 0n) options.setNoStream(new Empty());
  else options.setRevision(expectedRevision.toString());
  const request = new AppendReq();
  request.setOptions(options);
  return request;
}

function proposed({ id, type, contentType, data, metadata }: VerbatimEvent): AppendReq {
  const uuid = new UUID();
  uuid.setString(id);
  const message = new AppendReq.ProposedMessage();
  message.setId(uuid);
  message.getMetadataMap().set('type', type).set('content-type', contentType);
  message.setData(data);
  message.setCustomMetadata(metadata);
  const request = new AppendReq();
  request.setProposedMessage(message);
  return request;
}
