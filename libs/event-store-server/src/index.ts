export { startEventStoreServer, type EventStoreServer, type EventStoreServerOptions } from './server';
export type { Listen } from './listen';
export type { Log } from './log';
