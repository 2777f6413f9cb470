import type { Turn } from './model';

/** Returns the newest turns that together take at most half of the bytes of all given turns. */
export function newerHalf(turns: readonly Turn[]): readonly Turn[] {
  return newestWithin(turns, Math.floor(sizeOf(turns) / 2));
}

/** Returns the newest turns that together take at most so many bytes, oldest first. */
export function newestWithin<Some extends Turn>(turns: readonly Some[], bytesMax: number): readonly Some[] {
  let left = bytesMax;
  const first = turns.findLastIndex((turn) => {
    left -= sizeOf(turn);
    return left < 0;
  });
  return turns.slice(first + 1);
}

/** The bytes that a value takes as JSON. */
export function sizeOf(value: object): number {
  return Buffer.byteLength(JSON.stringify(value));
}
