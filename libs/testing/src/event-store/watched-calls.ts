import type { EventStoreDBClient } from '@eventstore/db-client';
import { StreamsService } from '@eventstore/db-client/generated/streams_grpc_pb';
import { ReadReq } from '@eventstore/db-client/generated/streams_pb';
import type { Channel } from '@grpc/grpc-js';

type Call = ReturnType<Channel['createCall']>;

/** One call of a client. */
interface Watched {
  isOpen: boolean;
  isSubscription: boolean;
}

/** The calls that a client makes from now on: reads, subscriptions and appends. A cancelled one is no longer open. */
export class WatchedCalls {
  /** The largest number of calls that were open at once. */
  most = 0;
  private readonly calls: Watched[] = [];
  private readonly channels = new WeakSet<Channel>();

  static async of(client: EventStoreDBClient): Promise<WatchedCalls> {
    const watched = new WatchedCalls();
    const getChannel = client['getChannel'];
    client['getChannel'] = async () => watched.watch(await getChannel());
    await client['getChannel']();
    return watched;
  }

  get open(): number {
    return this.calls.filter(({ isOpen }) => isOpen).length;
  }

  /** The number of subscriptions that were opened, and of those still open. */
  get subscriptions(): { readonly opened: number; readonly open: number } {
    const opened = this.calls.filter(({ isSubscription }) => isSubscription);
    return { opened: opened.length, open: opened.filter(({ isOpen }) => isOpen).length };
  }

  private watch(channel: Channel): Channel {
    if (this.channels.has(channel)) return channel;
    this.channels.add(channel);
    const createCall = channel.createCall.bind(channel);
    channel.createCall = (path, ...rest) => this.watchCall(path, createCall(path, ...rest));
    return channel;
  }

  private watchCall(path: string, call: Call): Call {
    const watched: Watched = { isOpen: true, isSubscription: false };
    this.calls.push(watched);
    this.most = Math.max(this.most, this.open);
    const { start, cancelWithStatus, sendMessageWithContext } = call;
    call.start = (metadata, listener) =>
      start.call(call, metadata, {
        onReceiveMetadata: (received) => listener.onReceiveMetadata(received),
        onReceiveMessage: (message) => listener.onReceiveMessage(message),
        onReceiveStatus: (end) => {
          watched.isOpen = false;
          listener.onReceiveStatus(end);
        },
      });
    call.cancelWithStatus = (status, details) => {
      watched.isOpen = false;
      cancelWithStatus.call(call, status, details);
    };
    call.sendMessageWithContext = (context, message) => {
      if (path === StreamsService.read.path)
        watched.isSubscription = ReadReq.deserializeBinary(message).getOptions()?.hasSubscription() === true;
      sendMessageWithContext.call(call, context, message);
    };
    return call;
  }
}
