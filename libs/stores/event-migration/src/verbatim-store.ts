import { WrongExpectedVersionError, type EventStoreDBClient } from '@eventstore/db-client';
import { Empty } from '@eventstore/db-client/generated/shared_pb';
import { StreamsClient, StreamsService } from '@eventstore/db-client/generated/streams_grpc_pb';
import { ReadReq } from '@eventstore/db-client/generated/streams_pb';
import { AppendChannel, connectEventStore, isTransient } from '@app/event-store';
import { exactEventIn, type ExactEvent } from '@app/event-store-wire';
import { Unavailable } from '@app/kernel';
import type { CallOptions, ClientReadableStream, Metadata } from '@grpc/grpc-js';
import { AppendWindow } from './append-window';

/** An event with its exact stored bytes. */
export type VerbatimEvent = Omit<ExactEvent, 'prepare'>;

type Place = { readonly commit: bigint; readonly prepare: bigint };

/** The undecoded answers of a read. */
type Answers = ClientReadableStream<Buffer>;

/** Private parts of the client, which parses and rewrites JSON; these leave bytes unchanged. */
interface Channels {
  GRPCStreamCreator(
    service: typeof StreamsClient,
    name: string,
    open: (client: StreamsClient) => Answers,
  ): () => Promise<Answers>;
  callArguments(base: object, options?: CallOptions): [Metadata, CallOptions];
}

/** Events that follow each other in the store and in one stream, sent as one append. */
export type Run = readonly VerbatimEvent[];
type Runs = Iterable<Run> | AsyncIterable<Run>;

/** A stream of the target has other events than those that should precede this revision. */
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

/** A store as one sequence of events, byte by byte. */
export class VerbatimStore {
  private readonly client: EventStoreDBClient;
  private readonly appends: AppendChannel;

  constructor(url: string) {
    this.client = connectEventStore(url, 'catch-ups');
    this.appends = new AppendChannel(this.client);
  }

  /** All events except the server's own, in the order of the store. @throws Unavailable */
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
   * Appends runs of consecutive events of one stream each; the stream of each run must end right before it.
   * @param onTaken called with the number of events of each stored run
   * @throws WrongRevision, Unavailable
   */
  async append(runs: Runs, onTaken: (events: number) => void = () => undefined): Promise<void> {
    const window = new AppendWindow<Run>(
      (run) => this.appendOne(run),
      (run) => onTaken(run.length),
    );
    for await (const run of runs) await window.add(run, bytesOf(run));
    await window.drain();
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
      openRead(client, readRequest(after), ...this.channels.callArguments({}, { deadline: Infinity })),
    );
    const found: { event: VerbatimEvent | null; place: Place }[] = [];
    try {
      // Reason for the assertion: grpc-js types its streams' items as any.
      for await (const answer of (await open()) as AsyncIterable<Buffer>) {
        const recorded = exactEventIn(answer);
        if (recorded === null) continue;
        const place = { commit: recorded.position, prepare: recorded.prepare };
        // A read begins with the event at its position.
        if (place.commit === after?.commit && place.prepare === after.prepare) continue;
        found.push({ event: verbatim(recorded), place });
      }
    } catch (error) {
      throw isTransient(error) ? new Unavailable('event store', { cause: error }) : error;
    }
    return found;
  }

  private async appendOne(run: Run): Promise<void> {
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

/** Null for the server's own events. */
function verbatim({ prepare: _, ...event }: ExactEvent): VerbatimEvent | null {
  const { stream, type } = event;
  // A tombstone is one of the server's own events too, but concerns its stream, so the caller must see it.
  const isOfServer = stream.startsWith('$') || (type.startsWith('$') && type !== streamDeleted);
  return isOfServer ? null : event;
}

function bytesOf(run: Run): number {
  return run.reduce((bytes, event) => bytes + weightOf(event), 0);
}

/** Bytes that an event adds to its append, as a server counts them. */
export function weightOf({ type, data, metadata }: VerbatimEvent): number {
  return data.length + metadata.length + type.length;
}

/** The type of the event that ends a deleted stream. */
export const streamDeleted = '$streamDeleted';

function openRead(client: StreamsClient, request: ReadReq, metadata: Metadata, options: CallOptions): Answers {
  const { path, requestSerialize } = StreamsService.read;
  return client.makeServerStreamRequest(path, requestSerialize, (bytes) => bytes, request, metadata, options);
}

function readRequest(after: Place | null): ReadReq {
  const all = new ReadReq.Options.AllOptions();
  if (after === null) all.setStart(new Empty());
  else {
    const position = new ReadReq.Options.Position();
    position.setCommitPosition(String(after.commit));
    position.setPreparePosition(String(after.prepare));
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
