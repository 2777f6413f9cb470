/** A shard counts about this many slots, so that small deployments have one, and large ones do not wait for one another. */
const shardSizeUsual = 64;
const shardsMax = 256;

/** How a capacity is counted: the sizes of all shards add up to it exactly. */
export interface CapacityShards {
  readonly count: number;
  /** Of the shards below `largerCount`, one more than this. */
  readonly leastSize: number;
  readonly largerCount: number;
}

/** Divides the deployment's execution capacity, the same in every process that has that setting. @param capacity at least 1 */
export function shardsOf(capacity: number): CapacityShards {
  const count = Math.min(shardsMax, Math.ceil(capacity / shardSizeUsual));
  return { count, leastSize: Math.floor(capacity / count), largerCount: capacity % count };
}

/** How many slots a shard has. */
export function sizeOf({ leastSize, largerCount }: CapacityShards, shard: number): number {
  return leastSize + (shard < largerCount ? 1 : 0);
}
