export type { ReceivedEvent } from './answers';
export { AppendChannel } from './append-channel';
export {
  decodeEvent,
  decodeOwn,
  encodeEvent,
  isSystemEvent,
  mintedAtMs,
  upcast,
  type LiftingKind,
  type Recorded,
  type StoredEvent,
} from './codec';
export { connectEventStore } from './connection';
export { EventFeed, EventSeen, ofEvents } from './event-feed';
export type { CategoriesPage } from './categories-page';
export type { CallLimits } from './call-limits';
export { EventStore } from './event-store';
export { EventStoreModule } from './event-store.module';
export { FoldedStates } from './folded-states';
export { EventStoreCheck, checkEventStore, UnfitEventStore } from './check-event-store';
export { ReadModels } from './read-models';
export { recordedEventOf, type RecordedEvent } from './messages';
export { SnapshotStore, type Snapshot } from './snapshots';
export { idInStream, streamName, type DomainEvent, type StreamKind } from './stream-kind';
export type { EventBatch } from './intake';
export { followCategories } from './subscriptions';
export { Streams, type DecideOptions } from './streams';
export { accessListFor, accessWarning, accountIn, checkStreamAccess, protectStreams } from './stream-access';
export type { Remains } from './stream-reads';
export { TooBusy, type Decided } from './stream-turn';
export { watchMetadata } from './watch-metadata';
export { watchTypes } from './watch-types';
export { isTransient } from './transient-errors';
export { unlessDamaged } from './unless-damaged';
export { KeyedQueue } from './keyed-queue';
