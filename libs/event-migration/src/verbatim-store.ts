import { WrongExpectedVersionError, type EventStoreDBClient } from '@eventstore/db-client';
import { Empty } from '@eventstore/db-client/generated/shared_pb';
import { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb';
import { ReadReq, type ReadResp } from '@eventstore/db-client/generated/streams_pb';
import { AppendChannel, connectEventStore, isTransient } from '@app/event-store';
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
  GRPCStreamCreator(
    service: typeof StreamsClient,
    name: string,
    open: (client: StreamsClient) => ClientReadableStream<ReadResp>,
  ): () => Promise<ClientReadableStream<ReadResp>>;
  callArguments(base: object, options?: CallOptions): [Metadata, CallOptions];
}

/** The target has other events in a stream than those that are to come next there. */
export class WrongRevision extends Error {
  constructor(
    readonly stream: string,
    readonly revision: bigint,
  ) {
    super(`${stream} is not before revision ${revision}`);
  }
}

const pageEvents = 1_000;
const appendDeadlineMs = 20_000;
/** How long an append whose answer was lost is sent again; the store recognizes it by its ids. */
const resendForMs = 60_000;
const resendPauseMs = 500;

/** A store as one sequence of events, byte by byte. */
export class VerbatimStore {
  private readonly client: EventStoreDBClient;
  private readonly appends: AppendChannel;

  constructor(url: string) {
    this.client = connectEventStore(url, 'catch-ups');
    this.appends = new AppendChannel(this.client);
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

  /**
   * Appends runs of consecutive events of one stream each, every run to a stream that then ends right before it. All are sent before the
   * first is answered, in order, and the store takes them in that order. Where one gets no answer, it is sent again until it is there,
   * and only then those behind it; the store recognizes by their ids what it has.
   * @throws WrongRevision, Unavailable
   */
  async append(runs: readonly (readonly VerbatimEvent[])[]): Promise<void> {
    let [left, goesAlone, troubleSinceMs] = [runs, false, performance.now()];
    while (left.length > 0) {
      const sent = goesAlone ? left.slice(0, 1) : left;
      const outcomes = await Promise.allSettled(sent.map((run) => this.appendOne(run)));
      // The first one decides: what is behind it may be refused for lack of it.
      const first = outcomes.findIndex(({ status }) => status === 'rejected');
      const failed = outcomes[first];
      left = left.slice(first === -1 ? sent.length : first);
      goesAlone = failed !== undefined;
      if (first !== 0) troubleSinceMs = performance.now();
      if (failed?.status !== 'rejected') continue;
      if (!isTransient(failed.reason)) throw failed.reason;
      if (performance.now() - troubleSinceMs > resendForMs)
        throw new Unavailable('event store', { cause: failed.reason });
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

  private async appendOne(run: readonly VerbatimEvent[]): Promise<void> {
    const [first] = run;
    if (first === undefined) return;
    const { stream, revision } = first;
    try {
      await this.appends.append(stream, run, Number(revision) - 1, appendDeadlineMs);
    } catch (error) {
      throw error instanceof WrongExpectedVersionError ? new WrongRevision(stream, revision) : error;
    }
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
