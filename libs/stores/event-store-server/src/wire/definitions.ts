/**
 * The services as the client's generated stubs describe them, except that hot requests are decoded by hand, and that hot answers arrive
 * here already encoded: one encoding of an event serves all of its readers.
 */
import { StreamsService } from '@eventstore/db-client/generated/streams_grpc_pb';
import type {
  DeleteReq,
  DeleteResp,
  AppendReq,
  AppendResp,
  TombstoneReq,
  TombstoneResp,
} from '@eventstore/db-client/generated/streams_pb';
import { decodeBatchAppendPart, decodeReadRequest } from '@app/event-store-wire';
import type { BatchAppendPart, ReadRequest } from '@app/event-store-wire';
import type {
  ServiceDefinition,
  handleBidiStreamingCall,
  handleClientStreamingCall,
  handleServerStreamingCall,
  handleUnaryCall,
} from '@grpc/grpc-js';

const asIs = (bytes: Buffer): Buffer => bytes;
const byClients = (): never => {
  throw new Error('requests are encoded, and answers decoded, by clients only');
};

/** The handlers of the calls. A type, not an interface, because grpc-js wants an index signature. */
export type StreamsHandlers = {
  read: handleServerStreamingCall<ReadRequest, Buffer>;
  append: handleClientStreamingCall<AppendReq, AppendResp>;
  delete: handleUnaryCall<DeleteReq, DeleteResp>;
  tombstone: handleUnaryCall<TombstoneReq, TombstoneResp>;
  batchAppend: handleBidiStreamingCall<BatchAppendPart, Buffer>;
};

export const streamsDefinition: ServiceDefinition<StreamsHandlers> = {
  read: {
    ...StreamsService.read,
    requestSerialize: byClients,
    requestDeserialize: decodeReadRequest,
    responseSerialize: asIs,
    responseDeserialize: byClients,
  },
  append: StreamsService.append,
  delete: StreamsService.delete,
  tombstone: StreamsService.tombstone,
  batchAppend: {
    ...StreamsService.batchAppend,
    requestSerialize: byClients,
    requestDeserialize: decodeBatchAppendPart,
    responseSerialize: asIs,
    responseDeserialize: byClients,
  },
};
