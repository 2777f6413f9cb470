export { DataFolderInUse, DataFolderUnusable } from './data-folder';
export { ensureDatabase } from './databases';
export { startEmbeddedPostgres, type EmbeddedPostgres } from './server';
