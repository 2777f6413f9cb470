export { startEventStoreServer, type EventStoreServer } from './server';
export type { Listen } from './listen';
export { hasStoredRows, lastStoredPosition, storedRows, storedRowsOf } from './storage/stored-rows';
export { hiddenRows } from './storage/hidden-rows';
