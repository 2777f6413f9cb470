import { Type, type Static, type TSchema, type TUnsafe } from '@sinclair/typebox';

/** A class whose members describe a request's body or query. */
export type DtoClass<Dto extends object = object> = new () => Dto;

const dtoClass = Symbol('dtoClass');
const shapeName = Symbol('shapeName');

/** The same schema under a name: it stands once in a document, and is referred to everywhere else. */
export function withName<Described extends TSchema>(name: string, schema: Described): Described {
  return { ...schema, [shapeName]: name };
}

/** The name that `shape` or `withName` gave, or null. */
export function nameOf(schema: object): string | null {
  const name: unknown = Reflect.get(schema, shapeName);
  return typeof name === 'string' ? name : null;
}

/**
 * What stands under this name in the document, put there by another slice or further out in a recursion; the type is the
 * caller's to tell. A document in which nothing has the name is not made.
 */
export function byName<Value>(name: string): TUnsafe<Value> {
  return Type.Unsafe<Value>({ $ref: `#/components/schemas/${name}` });
}

/** What a DTO class describes, as a part of something else. */
export function ofDto<Dto extends object>(dto: DtoClass<Dto>): TUnsafe<Dto> {
  return Type.Unsafe<Dto>({ [dtoClass]: dto });
}

/** The class that `ofDto` was given, or null. */
export function dtoOf(schema: object): DtoClass | null {
  const dto: unknown = Reflect.get(schema, dtoClass);
  // Reason for the assertion: only `ofDto` sets this key.
  return typeof dto === 'function' ? (dto as DtoClass) : null;
}

/** The names of an object's members, in order; of a union, those of all variants. */
export function memberNames<Described extends TSchema>(schema: Described): (keyof Static<Described> & string)[] {
  const properties: unknown = schema['properties'];
  // Reason for the assertion: `variants` puts its options there.
  const options = schema['oneOf'] as readonly TSchema[] | undefined;
  const names = options?.flatMap((option) => memberNames(option)) ?? Object.keys(properties ?? {});
  // Reason for the assertion: the static type of a schema has the members that its `properties` name.
  return [...new Set(names)] as (keyof Static<Described> & string)[];
}
