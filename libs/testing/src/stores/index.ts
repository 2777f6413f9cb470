export { ElectingStore, electionTexts } from './electing-store';
export { startPostgresProxy, type PostgresProxy } from './postgres-proxy';
