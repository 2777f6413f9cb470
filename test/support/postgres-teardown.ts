import { stopTestPostgres } from './postgres-setup';

/** Jest's globalTeardown for `postgres-setup.ts`. */
export default stopTestPostgres;
