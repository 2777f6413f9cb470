export type { ReceivedEvent } from '@app/event-store-wire';
export { AppendChannel } from './calls/append-channel';
export {
  decodeEvent,
  decodeOwn,
  encodeEvent,
  isSystemEvent,
  mintedAtMs,
  presentForm,
  upcast,
  type EventBatch,
  type LiftingKind,
  type Recorded,
  type StoredEvent,
} from './events/codec';
export { connectEventStore } from './calls/connection';
export { EventFeed, EventSeen, ofEvents } from './events/event-feed';
export type { CategoriesPage } from './reading/categories-page';
export type { CallLimits } from './calls/call-limits';
export { EventStore } from './event-store';
export { EventStoreModule } from './event-store.module';
export { FoldedStates } from './deciding/folded-states';
export { EventStoreCheck, checkEventStore, UnfitEventStore } from './check-event-store';
export { ReadModels } from './deciding/read-models';
export { SnapshotStore, type Snapshot, type SnapshotToSave } from './deciding/snapshots';
export { personalPathsOf } from './events/personal-paths';
export { hasOpenWords, openEvent, openEvents, sealedUnder, sealEvent, sealStored } from './events/sealed-events';
export { idInStream, streamName, type DomainEvent, type StreamKind } from './events/stream-kind';
export { followCategories } from './following/subscriptions';
export { Streams, type DecideOptions } from './deciding/streams';
export { accessListFor, accessWarning, accountIn, checkStreamAccess, protectStreams } from './stream-access';
export type { Remains } from './reading/stream-reads';
export { TooBusy, type Decided, type FirstRead } from './deciding/stream-turn';
export { watchMetadata } from './damaged-streams/watch-metadata';
export { watchTypes } from './following/watch-types';
export { isTransient } from './calls/transient-errors';
export { unlessDamaged } from './damaged-streams/damaged-streams';
export { KeyedQueue } from './deciding/keyed-queue';
