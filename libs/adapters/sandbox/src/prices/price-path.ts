import { epochMsOf, type Instant } from '@app/kernel';
import { createHash } from 'node:crypto';

const million = 1_000_000n;

/**
 * The waves that add up to a path: their periods in seconds, coprime so that it does not repeat for ages, and their
 * shares of the swing.
 */
const waves = [
  { periodSeconds: 2_000_003n, sharePpm: 450_000n },
  { periodSeconds: 260_003n, sharePpm: 300_000n },
  { periodSeconds: 30_011n, sharePpm: 170_000n },
  { periodSeconds: 1_009n, sharePpm: 80_000n },
] as const;

export interface PathShape {
  /** In millionths of a dollar. */
  readonly baseMicroUsd: bigint;
  /** In millionths of the base, less than a million. */
  readonly swingPpm: bigint;
}

/**
 * The price at an instant, in millionths of a dollar: the base plus a sum of triangle waves, their phases derived from
 * the seed. Always the same for the same arguments, because it is computed in integers and without earlier prices.
 */
export function pathPriceMicroUsd(seed: string, tokenId: string, shape: PathShape, at: Instant): bigint {
  const seconds = BigInt(Math.floor(epochMsOf(at) / 1000));
  const phases = createHash('sha256').update(`${seed}\n${tokenId}`).digest();
  const strayPpm = waves
    .map(({ periodSeconds, sharePpm }, index) => {
      const phase = BigInt(phases.readUIntBE(index * 6, 6));
      return sharePpm * trianglePpm(seconds + phase, periodSeconds);
    })
    .reduce((sum, stray) => sum + stray, 0n);
  return shape.baseMicroUsd + (shape.baseMicroUsd * shape.swingPpm * strayPpm) / (million * million * million);
}

/** From -1,000,000 to 1,000,000 and back in each period. */
function trianglePpm(at: bigint, period: bigint): bigint {
  const position = ((at % period) + period) % period;
  const fromEnd = position * 2n <= period ? position : period - position;
  return (4n * million * fromEnd) / period - million;
}
