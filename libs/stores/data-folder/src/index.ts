export { embeddedDatabaseName, embeddedPostgresFolder } from './embedded-database';
export { readJson, syncFolder, writeDurably, writePrivate } from './private-file';
export { findRunningStores, removeRunningStores, writeRunningStores } from './running-stores';
export { ensureSecrets, renewPartnerKey, readSecrets, SecretsDamaged } from './secrets';
export { systemWords } from './system-words';
export { ensureFolder, makeFolder } from './usable-folder';
