export { DataFolderInUse } from './data-folder';
export { ensureDatabase } from './databases';
export { startEmbeddedPostgres, type EmbeddedPostgres, type EmbeddedPostgresOptions } from './server';
