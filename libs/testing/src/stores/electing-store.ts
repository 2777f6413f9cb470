import { rm } from 'node:fs/promises';
import { Empty } from 'google-protobuf/google/protobuf/empty_pb';
import { Any } from 'google-protobuf/google/protobuf/any_pb';
import { Status } from '@eventstore/db-client/generated/status_pb';
import { StreamsClient, StreamsService } from '@eventstore/db-client/generated/streams_grpc_pb';
import {
  BatchAppendResp,
  type BatchAppendReq,
  type ReadReq,
  type ReadResp,
} from '@eventstore/db-client/generated/streams_pb';
import {
  credentials,
  Server,
  ServerCredentials,
  status,
  type ServerDuplexStream,
  type ServerWritableStream,
  type ServiceError,
} from '@grpc/grpc-js';

/** The messages of a node for an append while there is no leader to accept it. */
export const electionTexts = ['Server Is Not Ready', 'No leader info available in response', 'Server Is Busy'] as const;

/**
 * A proxy before an event store that behaves like a cluster during an election: appends on a BatchAppend call are
 * answered with a status that has empty details and no code, reads end with UNAVAILABLE or UNKNOWN. The client turns
 * the first into "Could not recognize Server Is Not Ready".
 *
 * Source: EventStoreDB 23.10.6, three nodes, when their leader was killed.
 */
export class ElectingStore {
  /** The answer to each append and read; null once there is a leader. */
  electing: (typeof electionTexts)[number] | null = null;
  /** Refuses the next `left` appends to streams whose names begin with `streams`, independently of an election. */
  refusals: { readonly streams: string; left: number } | null = null;
  /** Whether appends get no answer, as from a leader that hangs. */
  hangs = false;
  /** Number of appends that were refused so far. */
  refused = 0;
  private readonly reads = new Set<ServerWritableStream<ReadReq, ReadResp>>();
  private readonly server = new Server();

  private constructor(
    readonly socketPath: string,
    private readonly streams: StreamsClient,
  ) {}

  /** @param target `unix:/path` of the store behind it */
  static async start(socketPath: string, target: string): Promise<ElectingStore> {
    const store = new ElectingStore(socketPath, new StreamsClient(target, credentials.createInsecure()));
    store.server.addService(
      { read: StreamsService.read, batchAppend: StreamsService.batchAppend },
      {
        read: (call: ServerWritableStream<ReadReq, ReadResp>) => store.read(call),
        batchAppend: (call: ServerDuplexStream<BatchAppendReq, BatchAppendResp>) => store.batchAppend(call),
      },
    );
    await new Promise<void>((bound, failed) =>
      store.server.bindAsync(`unix:${socketPath}`, ServerCredentials.createInsecure(), (error) =>
        error === null ? bound() : failed(error),
      ),
    );
    return store;
  }

  /**
   * Ends all open reads, as a cluster ends a live subscriber after one append of 500 events or more; returns their
   * number.
   */
  tooSlow(): number {
    const details =
      'Operation timed out: Consumer too slow to handle event while live. Client resubscription required.';
    const open = [...this.reads];
    for (const call of open) call.emit('error', { code: status.ABORTED, details });
    return open.length;
  }

  async close(): Promise<void> {
    this.server.forceShutdown();
    this.streams.close();
    await rm(this.socketPath, { force: true });
  }

  private read(call: ServerWritableStream<ReadReq, ReadResp>): void {
    if (this.electing !== null) {
      const code = this.electing.startsWith('No leader') ? status.UNKNOWN : status.UNAVAILABLE;
      call.emit('error', { code, details: this.electing });
      return;
    }
    const behind = this.streams.read(call.request);
    this.reads.add(call);
    const leave = (): void => {
      this.reads.delete(call);
      behind.cancel();
    };
    behind.on('data', (answer: ReadResp) => void (this.reads.has(call) && call.write(answer)));
    behind.on('end', () => void (this.reads.has(call) && call.end()));
    behind.on('error', (error: ServiceError) => void (this.reads.has(call) && call.emit('error', error)));
    for (const over of ['cancelled', 'error', 'finish']) call.on(over, leave);
  }

  private batchAppend(call: ServerDuplexStream<BatchAppendReq, BatchAppendResp>): void {
    const behind = this.streams.batchAppend();
    behind.on('data', (answer: BatchAppendResp) => call.write(answer));
    behind.on('end', () => call.end());
    behind.on('error', (error: ServiceError) => call.emit('error', error));
    call.on('cancelled', () => behind.cancel());
    call.on('end', () => behind.end());
    call.on('data', (request: BatchAppendReq) => {
      if (this.hangs) return;
      const text = this.refusalOf(request);
      if (text === null) behind.write(request);
      else call.write(notHandled(request, text));
    });
  }

  private refusalOf(request: BatchAppendReq): string | null {
    const name = request.getOptions()?.getStreamIdentifier()?.getStreamName_asU8() ?? [];
    const { refusals } = this;
    const isMeant = refusals !== null && refusals.left > 0 && Buffer.from(name).toString().startsWith(refusals.streams);
    if (isMeant) refusals.left -= 1;
    const text = this.electing ?? (isMeant ? electionTexts[0] : null);
    if (text !== null) this.refused += 1;
    return text;
  }
}

function notHandled(request: BatchAppendReq, text: string): BatchAppendResp {
  const details = new Any();
  details.pack(new Empty().serializeBinary(), 'google.protobuf.Empty');
  const answer = new BatchAppendResp();
  answer.setCorrelationId(request.getCorrelationId());
  answer.setStreamIdentifier(request.getOptions()?.getStreamIdentifier());
  answer.setError(new Status().setMessage(text).setDetails(details));
  return answer;
}
