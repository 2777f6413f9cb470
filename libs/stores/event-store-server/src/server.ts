import { randomUUID } from 'node:crypto';
import { Server, type sendUnaryData, type ServerInterceptor, type ServerUnaryCall } from '@grpc/grpc-js';
import { GossipService } from '@eventstore/db-client/generated/gossip_grpc_pb';
import type { ClusterInfo } from '@eventstore/db-client/generated/gossip_pb';
import { ServerFeaturesService } from '@eventstore/db-client/generated/serverfeatures_grpc_pb';
import type { SupportedMethods } from '@eventstore/db-client/generated/serverfeatures_pb';
import type { Empty } from '@eventstore/db-client/generated/shared_pb';
import type { Failure } from './failure';
import { CLOSE_TIMEOUT_MS, CONCURRENT_CALLS_MAX, MESSAGE_BYTES_MAX } from './limits';
import { BadWeather } from './bad-weather';
import { bind, type Listen } from './listen';
import { silent, type Log } from './log';
import { EventLog } from './reading/event-log';
import { Hub } from './reading/hub';
import { Ring } from './reading/ring';
import { serveAppend } from './services/append';
import { BatchAppendCall } from './services/batch-append';
import { serveDelete, serveTombstone } from './services/delete';
import { clusterOfOne, supportedMethods } from './services/discovery';
import { OpenCalls } from './services/open-calls';
import { serveRead } from './services/read';
import { openReaderPools } from './storage/reader-pools';
import { streamsDefinition, type StreamsHandlers } from './wire/definitions';
import { WriterConnection } from './writing/connection';
import type { Writes } from './writing/request';
import { Writer, type WriterEvents } from './writing/writer';

export interface EventStoreServerOptions {
  /** `postgres://…`; the schema `event_store` of that database is the store. */
  databaseUrl: string;
  /** A unix socket, or loopback; port 0 takes a free one. */
  listen: Listen;
  onLog?: Log;
  /** How long a start waits for PostgreSQL; 30 s when absent. */
  startTimeoutMs?: number;
  /** For tests only: the seed of a cluster's bad day (`BadWeather`). */
  weatherSeed?: string | undefined;
  /** For tests only: behind interceptors, grpc-js itself writes the answers (`CallWriter`). */
  interceptors?: ServerInterceptor[];
}

export interface EventStoreServer {
  /** For `new EventStoreDBClient({ endpoint: address }, { insecure: true })`: `unix:/path` or `host:port`. */
  readonly address: string;
  /** Finishes the appends in flight, answers every other call as unavailable, and releases the lock. */
  close(): Promise<void>;
}

/**
 * Starts the embedded event store: the EventStoreDB protocol over PostgreSQL. Resolves when it accepts appends. While another server holds
 * the writer lock, it waits for that one to end, and logs that it waits. Rejects when PostgreSQL is not reachable for longer than a start
 * may take, when the schema is newer than this code, or when the address is taken or not local.
 */
export async function startEventStoreServer(options: EventStoreServerOptions): Promise<EventStoreServer> {
  const log = options.onLog ?? silent;
  const ring = new Ring();
  const hub = new Hub();
  const writer = new Writer(listenerOf(ring, hub), log);
  const pools = openReaderPools(options.databaseUrl, log);
  const connection = new WriterConnection(options.databaseUrl, writer, log, options.startTimeoutMs);
  const eventLog = new EventLog(ring, pools, (stream) => writer.knownHead(stream));
  const calls = new OpenCalls();
  const { weatherSeed, listen, interceptors = [] } = options;
  const weather = weatherSeed === undefined ? undefined : new BadWeather(weatherSeed, writer, calls, log);
  const grpc = createServer({ writer: weather ?? writer, eventLog, hub, calls, listen, interceptors });
  const closeStorage = async (): Promise<void> => {
    await settle(connection.close());
    connection.drop();
    await settle(pools.end());
  };
  try {
    await connection.start();
    const address = await bind(grpc, listen);
    weather?.begin(() => grpc.drain(address, 0));
    let closing: Promise<void> | undefined;
    const close = async (): Promise<void> => {
      const shuttingDown: Failure = { kind: 'unavailable', message: 'the event store is shutting down' };
      weather?.end();
      await settle(writer.close(shuttingDown));
      calls.failAll(shuttingDown);
      await settle(new Promise<void>((resolve) => grpc.tryShutdown(() => resolve())));
      grpc.forceShutdown();
      await closeStorage();
    };
    return { address, close: () => (closing ??= close()) };
  } catch (error) {
    await closeStorage();
    throw error;
  }
}

/** The ring caches what the writer commits; the hub passes it to subscriptions. */
function listenerOf(ring: Ring, hub: Hub): WriterEvents {
  return {
    committed: (events) => ring.append(events),
    fanOut: (events) => hub.publish(events),
    reloaded: (lastPosition) => {
      ring.reset(lastPosition);
      hub.wakeAll();
    },
  };
}

interface Parts {
  readonly writer: Writes;
  readonly eventLog: EventLog;
  readonly hub: Hub;
  readonly calls: OpenCalls;
  readonly listen: Listen;
  readonly interceptors: ServerInterceptor[];
}

function createServer({ writer, eventLog, hub, calls, listen, interceptors }: Parts): Server {
  const grpc = new Server({
    'grpc.max_receive_message_length': MESSAGE_BYTES_MAX,
    'grpc.max_concurrent_streams': CONCURRENT_CALLS_MAX,
    // grpc-js's statistics of its calls are not used.
    'grpc.enable_channelz': 0,
    interceptors,
  });
  const streams: StreamsHandlers = {
    read: (call) => void serveRead(calls, eventLog, hub, call),
    append: (call, callback) => void serveAppend(calls, writer, call, callback),
    batchAppend: (call) => void new BatchAppendCall(call, writer, calls),
    delete: (call, callback) => serveDelete(calls, writer, call, callback),
    tombstone: (call, callback) => serveTombstone(calls, writer, call, callback),
  };
  grpc.addService(streamsDefinition, streams);
  grpc.addService(ServerFeaturesService, {
    getSupportedMethods: (_call: unknown, callback: sendUnaryData<SupportedMethods>) =>
      callback(null, supportedMethods()),
  });
  const instanceId = randomUUID();
  grpc.addService(GossipService, {
    read: (call: ServerUnaryCall<Empty, ClusterInfo>, callback: sendUnaryData<ClusterInfo>) => {
      const { host, port } = 'host' in listen ? listen : { host: call.getHost(), port: 0 };
      callback(null, clusterOfOne(instanceId, host, port));
    },
  });
  return grpc;
}

/** Waits for an end that a client or the database may delay, but not for long. */
async function settle(end: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([end, new Promise<void>((resolve) => (timer = setTimeout(resolve, CLOSE_TIMEOUT_MS)))]);
  clearTimeout(timer);
}
