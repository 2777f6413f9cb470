/** The usual size of a shard, in slots: small deployments have one shard, and in large ones takers do not wait for one another. */
const shardSizeUsual = 64;
const shardsMax = 256;

/** The division of a capacity; the sizes of all shards add up to it exactly. */
export interface CapacityShards {
  readonly count: number;
  /** Slots of a shard; those below `largerCount` have one more. */
  readonly leastSize: number;
  readonly largerCount: number;
}

/** Divides the deployment's execution capacity, identically in every process with that setting. @param capacity at least 1 */
export function shardsOf(capacity: number): CapacityShards {
  const count = Math.min(shardsMax, Math.ceil(capacity / shardSizeUsual));
  return { count, leastSize: Math.floor(capacity / count), largerCount: capacity % count };
}

/** The number of slots of a shard. */
export function sizeOf({ leastSize, largerCount }: CapacityShards, shard: number): number {
  return leastSize + (shard < largerCount ? 1 : 0);
}
