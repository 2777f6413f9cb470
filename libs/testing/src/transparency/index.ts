export { claimOf, keptOf, logKey, otherKey, rootOf, witnessKey } from './signed-history';
