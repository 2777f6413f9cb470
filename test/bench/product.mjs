// The parts of the product's build that the benchmarks use, as the product itself uses them.
import 'reflect-metadata';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const dist = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..', 'dist');
const library = (folder) => createRequire(import.meta.url)(path.join(dist, 'libs', folder, 'src', 'index.js'));

export const { openProduct } = library('composition');
export const { conversationKind } = library('product/conversations');
export const { ensureDatabase, startEmbeddedPostgres } = library('stores/embedded-postgres');
export const { connectEventStore, encodeEvent, EventStore, personalPathsOf, sealEvent, Streams } =
  library('platform/event-store');
export const { Database, leaderLocks, PostgresKeys, sealingKeysTable } = library('platform/read-store');
export const { Sealing } = library('platform/runtime');
export const { conversationKeyId, KeyRing } = library('platform/sealing');
export const { readConfiguration } = library('product/settings');

/** The main script of an app, for a separate process. */
export const program = (app) => path.join(dist, 'apps', app, 'src', 'main.js');
