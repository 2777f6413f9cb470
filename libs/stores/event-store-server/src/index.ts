export { startEventStoreServer, type EventStoreServer } from './server';
export type { Listen } from './listen';
export { hasStoredRows, lastStoredPosition, storedRows, type StoredRow } from './storage/stored-rows';
