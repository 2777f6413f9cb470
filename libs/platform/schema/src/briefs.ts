import type { TSchema } from '@sinclair/typebox';

/** What models are told of a value. They are sent it with every step, so what documents say of it is too long for them. */

const words = Symbol('words');
const instead = Symbol('instead');
const merging = Symbol('merging');

/** A description for models, as a part of a schema that no document shows. */
export function withBrief(brief: string | undefined): object {
  return brief === undefined ? {} : { [words]: brief };
}

/** The description for models, or null. */
export function briefOf(schema: object): string | null {
  const brief: unknown = Reflect.get(schema, words);
  return typeof brief === 'string' ? brief : null;
}

/**
 * The schema, in place of which models are told another one. That one may allow more: where exactness costs more than it saves
 * mistakes, the reader alone is exact.
 */
export function inBrief<Described extends TSchema>(schema: Described, told: TSchema): Described {
  return { ...schema, [instead]: told };
}

/** What models are told in place of the schema: itself, if nothing else was said. */
export function toldOf(schema: object): object {
  const told: unknown = Reflect.get(schema, instead);
  return typeof told === 'object' && told !== null ? told : schema;
}

/** The union, of which models are told as of one object: the members that not all of its shapes have may be absent. */
export function mergedInBrief<Described extends TSchema>(union: Described): Described {
  return { ...union, [merging]: true };
}

export function isMerged(schema: object): boolean {
  return Reflect.get(schema, merging) === true;
}
