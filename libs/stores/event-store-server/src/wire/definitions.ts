/**
 * The services as the client's generated stubs describe them, except that hot answers arrive here already encoded:
 * one encoding of an event serves all of its readers.
 */
import { BatchAppendReq, type ReadReq } from '@eventstore/db-client/generated/streams_pb';
import { StreamsService } from '@eventstore/db-client/generated/streams_grpc_pb';
import type {
  DeleteReq,
  DeleteResp,
  AppendReq,
  AppendResp,
  TombstoneReq,
  TombstoneResp,
} from '@eventstore/db-client/generated/streams_pb';
import type {
  ServiceDefinition,
  handleBidiStreamingCall,
  handleClientStreamingCall,
  handleServerStreamingCall,
  handleUnaryCall,
} from '@grpc/grpc-js';

const asIs = (bytes: Buffer): Buffer => bytes;
const asSent = (): never => {
  throw new Error('answers are decoded by clients only');
};

/** What serves the calls. A type, not an interface: grpc-js wants an index signature. */
export type StreamsHandlers = {
  read: handleServerStreamingCall<ReadReq, Buffer>;
  append: handleClientStreamingCall<AppendReq, AppendResp>;
  delete: handleUnaryCall<DeleteReq, DeleteResp>;
  tombstone: handleUnaryCall<TombstoneReq, TombstoneResp>;
  batchAppend: handleBidiStreamingCall<BatchAppendReq, Buffer>;
};

export const streamsDefinition: ServiceDefinition<StreamsHandlers> = {
  read: { ...StreamsService.read, responseSerialize: asIs, responseDeserialize: asSent },
  append: StreamsService.append,
  delete: StreamsService.delete,
  tombstone: StreamsService.tombstone,
  batchAppend: {
    ...StreamsService.batchAppend,
    // A view of the received bytes: the stub's own would copy them.
    requestDeserialize: (bytes: Buffer) =>
      BatchAppendReq.deserializeBinary(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length)),
    responseSerialize: asIs,
    responseDeserialize: asSent,
  },
};
