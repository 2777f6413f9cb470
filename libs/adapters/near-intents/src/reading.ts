import { isLosslessNumber } from 'lossless-json';
import { isJsonObject } from '@app/kernel';

/** An external answer that is not what its API promises. Its message may quote it: it is for the log only. */
export class Malformed extends Error {}

/** The API works, and reports that it could not do this one thing. */
export class CallFailed extends Error {}

const quotedMax = 120;
/** The contract counts in 128 bits. */
const rawAmount = /^(0|[1-9][0-9]{0,38})$/;
/** NEAR's account ids, including implicit ones (64 hex characters). */
const accountId = /^(?=.{2,64}$)[a-z0-9]+([-_.][a-z0-9]+)*$/;
const textLengthMax = 512;

/** Parsers of single values in an answer; each throws Malformed for anything else. `where` names the value in the log. */
export const read = {
  object(value: unknown, where: string): Readonly<Record<string, unknown>> {
    return isJsonObject(value) ? value : failReading(value, where, 'an object');
  },

  list(value: unknown, where: string, lengthMax: number): readonly unknown[] {
    if (!Array.isArray(value) || value.length > lengthMax)
      return failReading(value, where, `at most ${lengthMax} items`);
    // Reason for the assertion: Array.isArray leaves the items `any`.
    return value as unknown[];
  },

  text(value: unknown, where: string): string {
    const fits = typeof value === 'string' && value.length > 0 && value.length <= textLengthMax;
    return fits ? value : failReading(value, where, 'a text');
  },

  truth(value: unknown, where: string): boolean {
    return typeof value === 'boolean' ? value : failReading(value, where, 'true or false');
  },

  amount(value: unknown, where: string): string {
    return typeof value === 'string' && rawAmount.test(value) ? value : failReading(value, where, 'an amount');
  },

  account(value: unknown, where: string): string {
    return typeof value === 'string' && accountId.test(value) ? value : failReading(value, where, 'an account');
  },

  /** A whole number from 0 to `max`. */
  count(value: unknown, where: string, max: number): number {
    const digits = isLosslessNumber(value) ? value.toString() : '';
    const count = /^(0|[1-9][0-9]{0,14})$/.test(digits) ? Number(digits) : Infinity;
    return count <= max ? count : failReading(value, where, `0 to ${max}`);
  },

  /** An instant in ISO 8601 with an offset, as milliseconds since the Unix epoch. */
  instantMs(value: unknown, where: string): number {
    const dated = typeof value === 'string' && /^\d{4}-\d\d-\d\dT[0-9:.]+(Z|[+-]\d\d:\d\d)$/.test(value);
    const epochMs = dated ? Date.parse(value) : NaN;
    return Number.isNaN(epochMs) ? failReading(value, where, 'an instant') : epochMs;
  },
};

function failReading(value: unknown, where: string, expected: string): never {
  const quoted = JSON.stringify(value) ?? 'nothing';
  throw new Malformed(`${where} is not ${expected}: ${quoted.slice(0, quotedMax)}`);
}
