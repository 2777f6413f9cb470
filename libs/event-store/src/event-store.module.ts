import { Global, Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { Configuration, Probe } from '@app/runtime';
import { setTimeout as sleep } from 'node:timers/promises';
import { EventStore } from './event-store';
import { FoldedStates } from './folded-states';
import { lookAtEventStore } from './look-at-event-store';
import { SnapshotStore } from './snapshots';
import { TransactHandler } from './transact';

const disposeWithinMs = 2_000;

/** One client, one cache of folded states and one `Transact` handler for the whole process. */
@Global()
@Module({})
export class EventStoreModule implements OnApplicationShutdown {
  constructor(private readonly store: EventStore) {}

  static register(): DynamicModule {
    return {
      module: EventStoreModule,
      imports: [CqrsModule.forRoot()],
      providers: [
        {
          provide: EventStore,
          useFactory: async (configuration: Configuration, probe: Probe) => {
            const url = eventStoreUrl(configuration);
            // One that is away may come back; everything waits for it.
            await lookAtEventStore(url);
            return EventStore.connect(url, probe);
          },
          inject: [Configuration, Probe],
        },
        {
          provide: FoldedStates,
          useFactory: (store: EventStore, snapshots: SnapshotStore) => new FoldedStates(store, snapshots),
          inject: [EventStore, SnapshotStore],
        },
        TransactHandler,
      ],
      exports: [EventStore, FoldedStates, CqrsModule],
    };
  }

  /** Bounded: the client waits for ever for the end of a call whose reader has left. */
  async onApplicationShutdown(): Promise<void> {
    const patience = new AbortController();
    const late = sleep(disposeWithinMs, undefined, { signal: patience.signal }).catch(() => undefined); // disposed in time
    await Promise.race([this.store.dispose(), late]);
    patience.abort();
  }
}

function eventStoreUrl(configuration: Configuration): string {
  const url = configuration.env.EVENTSTORE_URL;
  if (url === undefined)
    throw new Error('EVENTSTORE_URL is not set, and only npm start brings an event store of its own');
  return url;
}
