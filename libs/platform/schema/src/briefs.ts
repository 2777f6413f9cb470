import type { TSchema } from '@sinclair/typebox';

/** Descriptions of values for models. Models receive them with every step, so the descriptions in documents are too long for them. */

const words = Symbol('words');
const instead = Symbol('instead');
const merging = Symbol('merging');

/** A description for models, as a part of a schema that no document contains. */
export function withBrief(brief: string | undefined): object {
  return brief === undefined ? {} : { [words]: brief };
}

/** The description for models, or null. */
export function briefOf(schema: object): string | null {
  const brief: unknown = Reflect.get(schema, words);
  return typeof brief === 'string' ? brief : null;
}

/**
 * Replaces the schema by another one for models. That one may allow more: where exactness costs more than the mistakes it prevents, only
 * the reader is exact.
 */
export function inBrief<Described extends TSchema>(schema: Described, told: TSchema): Described {
  return { ...schema, [instead]: told };
}

/** The schema that models receive: the replacement, or the schema itself if there is none. */
export function toldOf(schema: object): object {
  const told: unknown = Reflect.get(schema, instead);
  return typeof told === 'object' && told !== null ? told : schema;
}

/** A union that models receive as one object: members that not all of its shapes have are optional there. */
export function mergedInBrief<Described extends TSchema>(union: Described): Described {
  return { ...union, [merging]: true };
}

export function isMerged(schema: object): boolean {
  return Reflect.get(schema, merging) === true;
}
