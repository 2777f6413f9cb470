export { DataFolderInUse, DataFolderUnusable } from './data-folder';
export { ensureDatabase } from './databases';
export { takeLock } from './file-lock';
export { startEmbeddedPostgres, type EmbeddedPostgres } from './server';
