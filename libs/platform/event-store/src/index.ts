export { AppendChannel } from './append-channel';
export {
  decodeEvent,
  decodeStored,
  encodeEvent,
  upcast,
  type LiftingKind,
  type Recorded,
  type StoredEvent,
} from './codec';
export { connectEventStore } from './connection';
export { EventSeen, ofEvents } from './event-feed';
export { EventStore, type CallLimits } from './event-store';
export { EventStoreModule } from './event-store.module';
export { FoldedStates } from './folded-states';
export { EventStoreLook, lookAtEventStore, UnfitEventStore } from './look-at-event-store';
export { ReadModels } from './read-models';
export { recordedEventOf, type RecordedEvent } from './messages';
export { SnapshotStore, type Snapshot } from './snapshots';
export { idInStream, streamName, type DomainEvent, type StreamKind } from './stream-kind';
export type { EventBatch } from './intake';
export { followCategories } from './subscriptions';
export { Streams, type DecideOptions } from './streams';
export { TooBusy } from './stream-turns';
export { isTransient } from './transient-errors';
export { KeyedQueue } from './keyed-queue';
