import { Global, Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { EventBus } from '@nestjs/cqrs';
import { Configuration, Metrics, Probe } from '@app/runtime';
import { KeyRing, KeyStore } from '@app/sealing';
import { EventStore } from './event-store';
import { FoldedStates } from './deciding/folded-states';
import { checkEventStore } from './check-event-store';
import { SnapshotStore } from './deciding/snapshots';
import { Streams } from './deciding/streams';
import { StreamSagas, WakeWaitersHandler } from './deciding/wake-waiters';

/** One client, one cache of folded states and one `Streams` for the whole process. */
@Global()
@Module({})
export class EventStoreModule implements OnApplicationShutdown {
  constructor(
    private readonly store: EventStore,
    private readonly keys: KeyRing,
    bus: EventBus,
    { registry }: Metrics,
  ) {
    store.appendTimes.show(registry);
    store.feed.publishOn(bus);
  }

  static register(): DynamicModule {
    return {
      module: EventStoreModule,
      providers: [
        { provide: KeyRing, useFactory: (keys: KeyStore) => new KeyRing(keys), inject: [KeyStore] },
        {
          provide: EventStore,
          useFactory: async (configuration: Configuration, probe: Probe, keys: KeyRing) => {
            const url = eventStoreUrl(configuration);
            // Refuses a wrong URL. A store that is unavailable may return, so everything waits for it.
            await checkEventStore(url);
            return EventStore.connect(url, probe, keys);
          },
          inject: [Configuration, Probe, KeyRing],
        },
        {
          provide: FoldedStates,
          useFactory: (store: EventStore, snapshots: SnapshotStore) => new FoldedStates(store, snapshots),
          inject: [EventStore, SnapshotStore],
        },
        Streams,
        StreamSagas,
        WakeWaitersHandler,
      ],
      exports: [EventStore, FoldedStates, KeyRing, Streams],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.store.dispose();
    this.keys.close();
  }
}

function eventStoreUrl(configuration: Configuration): string {
  const url = configuration.env.EVENTSTORE_URL;
  if (url === undefined)
    throw new Error('EVENTSTORE_URL is not set, and only npm start brings an event store of its own');
  return url;
}
