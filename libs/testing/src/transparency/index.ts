export { claimOf, elsewhereKey, keptOf, logKey, otherKey, witnessKey } from './signed-history';
export { checkpointed, mixedDay, storedCheckpoints } from './mixed-day';
