/** Costs are kept in millionths of a cent, as integers, and rounded up once per segment (docs/decisions/conventions.md). */
export const microCentsPerCent = 1_000_000;

/** Whole cents, rounded up. Throws RangeError for anything but a non-negative safe integer. */
export function centsFromMicroCents(microCents: number): number {
  if (!Number.isSafeInteger(microCents) || microCents < 0) throw new RangeError(`not a cost: ${microCents}`);
  return Number((BigInt(microCents) + BigInt(microCentsPerCent - 1)) / BigInt(microCentsPerCent));
}
