export { startEventStoreServer, type EventStoreServer } from './server';
export type { Listen } from './listen';
