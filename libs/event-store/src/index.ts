export {
  decodeEvent,
  decodeStored,
  encodeEvent,
  upcast,
  type EventMetadata,
  type Recorded,
  type StoredEvent,
} from './codec';
export { connectEventStore } from './connection';
export { EventStore, type Appended } from './event-store';
export { EventStoreModule } from './event-store.module';
export { FoldedStates, type Folded } from './folded-states';
export { SnapshotStore, type Snapshot } from './snapshots';
export { idInStream, streamName, type DomainEvent, type StreamKind, type Upcaster } from './stream-kind';
export type { EventBatch } from './intake';
export { followCategories, followStream } from './subscriptions';
export { Transact, type Transacted } from './transact';
export { isTransient } from './transient-errors';
