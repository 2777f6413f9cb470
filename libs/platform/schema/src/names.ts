import { Type, type Static, type TSchema, type TUnsafe } from '@sinclair/typebox';

/** A class whose members describe a request's body or query. */
export type DtoClass<Dto extends object = object> = new () => Dto;

const dtoClass = Symbol('dtoClass');
const shapeName = Symbol('shapeName');

/** The same schema under a name: a document contains it once, and refers to it everywhere else. */
export function withName<Described extends TSchema>(name: string, schema: Described): Described {
  return { ...schema, [shapeName]: name };
}

/** The name that `shape` or `withName` gave, or null. */
export function nameOf(schema: object): string | null {
  const name: unknown = Reflect.get(schema, shapeName);
  return typeof name === 'string' ? name : null;
}

/**
 * A reference to the schema of this name in the document, which another slice or an enclosing level of a recursion defines; the caller
 * states its type. Documents that lack the name are not created.
 */
export function byName<Value>(name: string): TUnsafe<Value> {
  return Type.Unsafe<Value>({ $ref: `#/components/schemas/${name}` });
}

/** The values of a DTO class, as a part of another schema. */
export function ofDto<Dto extends object>(dto: DtoClass<Dto>): TUnsafe<Dto> {
  return Type.Unsafe<Dto>({ [dtoClass]: dto });
}

/** The class passed to `ofDto`, or null. */
export function dtoOf(schema: object): DtoClass | null {
  const dto: unknown = Reflect.get(schema, dtoClass);
  // Reason for the assertion: only `ofDto` sets this key.
  return typeof dto === 'function' ? (dto as DtoClass) : null;
}

/** The names of an object's members, in order; for a union, those of all variants. */
export function memberNames<Described extends TSchema>(schema: Described): (keyof Static<Described> & string)[] {
  const properties: unknown = schema['properties'];
  // Reason for the assertion: `variants` puts its options there.
  const options = schema['oneOf'] as readonly TSchema[] | undefined;
  const names = options?.flatMap((option) => memberNames(option)) ?? Object.keys(properties ?? {});
  // Reason for the assertion: the static type of a schema has the members that its `properties` name.
  return [...new Set(names)] as (keyof Static<Described> & string)[];
}
