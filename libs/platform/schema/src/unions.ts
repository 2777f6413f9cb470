import { Type, type Static, type TProperties, type TSchema, type TUnsafe } from '@sinclair/typebox';
import { isJsonObject } from '@app/kernel';
import { withoutOthers, object, withName, nameOf, optional, type Members, type Words } from './schema';

/**
 * One of several shapes. @param by the member whose constant tells them apart: then one alone can fit, and shapes with names are
 * found by that constant
 */
export function variants<const Options extends readonly TSchema[]>(
  options: Options,
  words: Words & { readonly by?: string } = {},
): TUnsafe<Static<Options[number]>> {
  const { by, ...rest } = words;
  const mapping = by === undefined ? null : mappingOf(options, by);
  return Type.Unsafe<Static<Options[number]>>({
    [by === undefined ? 'anyOf' : 'oneOf']: [...options],
    ...(mapping !== null && { discriminator: { propertyName: by, mapping } }),
    ...rest,
  });
}

/** Which constant is whose; null where a shape has no name, since OpenAPI leaves such unions to the constants themselves. */
function mappingOf(options: readonly TSchema[], by: string): Record<string, string> | null {
  const mapping: Record<string, string> = {};
  for (const option of options) {
    const name = nameOf(option);
    const properties: unknown = option['properties'];
    const member: unknown = isJsonObject(properties) ? properties[by] : undefined;
    const value: unknown = isJsonObject(member) ? member['const'] : undefined;
    if (name === null || typeof value !== 'string') return null;
    mapping[value] = `#/components/schemas/${name}`;
  }
  return mapping;
}

/**
 * One of several sets of members, which nothing but their presence tells apart. No discriminator can be named for such a union, so
 * it is published as one object whose members are all optional. Requests must have exactly one set: the schema says so where each set
 * has one member, and where there are two sets.
 */
export function choice<const Options extends readonly TProperties[]>(
  name: string,
  options: Options,
  words: Words = {},
): TUnsafe<{ readonly [Index in keyof Options]: Members<Options[Index]> }[number]> {
  const sets = options.map((option) => Object.keys(option));
  const sizes = sets.map(({ length }) => length);
  const properties: TProperties = {};
  for (const option of options) {
    for (const [member, schema] of Object.entries(option)) properties[member] = optional(schema);
  }
  const together = sets
    .filter(({ length }) => length > 1)
    .flatMap((set) => set.map((member): [string, string[]] => [member, set.filter((other) => other !== member)]));
  return Type.Unsafe({
    ...withName(name, withoutOthers(object(properties, words))),
    ...{ minProperties: Math.min(...sizes), maxProperties: Math.max(...sizes) },
    ...(together.length > 0 && { dependentRequired: Object.fromEntries(together) }),
  });
}
