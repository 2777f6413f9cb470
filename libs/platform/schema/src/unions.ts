import { Type, type Static, type TProperties, type TSchema, type TUnsafe } from '@sinclair/typebox';
import { isJsonObject, type JsonObject } from '@app/kernel';
import { byName, nameOf, withName } from './names';
import { membersIn, object, objectIn, withoutOthers, type Members } from './objects';
import { inside, readerOf, withReader, wrong, type Part, type Reader } from './reading';
import { canBeNull, optional, publish, type Words } from './schema';

/**
 * One of several shapes.
 * @param words `by` names the member whose constant distinguishes the shapes: then only one can fit, and the union can be read. `message`
 * is the issue of a value whose constant belongs to no shape.
 */
export function variants<const Options extends readonly TSchema[]>(
  options: Options,
  words: Words & { readonly by?: string } = {},
): TUnsafe<Static<Options[number]>> {
  const { by, ...rest } = words;
  const mapping = by === undefined ? null : mappingOf(options, by);
  const schema = Type.Unsafe<Static<Options[number]>>({
    [by === undefined ? 'anyOf' : 'oneOf']: [...options],
    ...(mapping !== null && { discriminator: { propertyName: by, mapping } }),
    ...publish(rest),
  });
  return by === undefined ? schema : withReader(schema, variantReader(options, by, words), { converts: true });
}

function variantReader(options: readonly TSchema[], by: string, { message }: Words): Reader {
  const byConstant = new Map(options.map((option) => [constantOf(option, by), option]));
  const wanted = `must be ${[...byConstant.keys()].join(' or ')}`;
  return (part) => {
    const given = objectIn(part);
    if (given === undefined) return undefined;
    const kind = inside(part, by, given[by]);
    if (!Object.hasOwn(given, by)) return wrong(kind, 'is required');
    const option = byConstant.get(given[by]);
    if (option !== undefined) return readerOf(option)(part);
    return message === undefined ? wrong(kind, wanted) : wrong(part, message);
  };
}

function constantOf(option: TSchema, by: string): unknown {
  const properties: unknown = option['properties'];
  const member: unknown = isJsonObject(properties) ? properties[by] : undefined;
  return isJsonObject(member) ? member['const'] : undefined;
}

/** The shape of each constant; null if a shape has no name, because OpenAPI leaves such unions to the constants themselves. */
function mappingOf(options: readonly TSchema[], by: string): Record<string, string> | null {
  const mapping: Record<string, string> = {};
  for (const option of options) {
    const name = nameOf(option);
    const value = constantOf(option, by);
    if (name === null || typeof value !== 'string') return null;
    mapping[value] = `#/components/schemas/${name}`;
  }
  return mapping;
}

/**
 * One of several sets of members, which only their presence distinguishes. No discriminator can be named for such a union, so it is
 * published as one object whose members are all optional. Requests must have exactly one set: the schema states this if each set has one
 * member, and if there are two sets.
 *
 * @param words `message` is the issue of a value with members of no set, or of several. Without it the issues report that the members of
 * the first set are missing, or that those of all sets but the last are unknown.
 */
export function choice<const Options extends readonly TProperties[]>(
  name: string,
  options: Options,
  words: Words = {},
): TUnsafe<{ readonly [Index in keyof Options]: Members<Options[Index]> }[number]> {
  const names = options.map((option) => Object.keys(option));
  const sizes = names.map(({ length }) => length);
  const properties: TProperties = {};
  for (const option of options) {
    for (const [member, schema] of Object.entries(option)) properties[member] = optional(schema);
  }
  const together = names
    .filter(({ length }) => length > 1)
    .flatMap((set) => set.map((member): [string, string[]] => [member, set.filter((other) => other !== member)]));
  const schema = {
    ...withName(name, withoutOthers(object(properties, words))),
    minProperties: Math.min(...sizes),
    maxProperties: Math.max(...sizes),
    ...(together.length > 0 && { dependentRequired: Object.fromEntries(together) }),
  };
  return withReader(Type.Unsafe(schema), choiceReader(options, words), { converts: true });
}

function choiceReader(options: readonly TProperties[], { message }: Words): Reader {
  return (part) => {
    const given = objectIn(part);
    if (given === undefined) return undefined;
    const chosen = chosenOf(options, given);
    if (chosen.length !== 1 && message !== undefined) return wrong(part, message);
    const option = chosen.at(-1) ?? options[0] ?? {};
    return membersIn({ ...part, value: withoutUnchosen(given, options, option) }, option);
  };
}

/** The sets that have a member with a value; if all values are null, the sets that have a member at all. */
function chosenOf(options: readonly TProperties[], given: JsonObject): readonly TProperties[] {
  const chosen = options.filter((option) => Object.keys(option).some((name) => isGiven(given, name)));
  if (chosen.length > 0) return chosen;
  return options.filter((option) =>
    Object.keys(option).some((name) => Object.hasOwn(given, name) && takesNull(option, name)),
  );
}

function isGiven(given: JsonObject, name: string): boolean {
  return Object.hasOwn(given, name) && given[name] !== null;
}

function takesNull(option: TProperties, name: string): boolean {
  const schema = option[name];
  return schema !== undefined && canBeNull(schema);
}

/** Leaves out members of other sets that are null, as serializers write absence. */
function withoutUnchosen(given: JsonObject, options: readonly TProperties[], chosen: TProperties): JsonObject {
  const isUnchosen = (name: string) =>
    given[name] === null && !Object.hasOwn(chosen, name) && options.some((option) => Object.hasOwn(option, name));
  const names = Object.keys(given);
  if (!names.some(isUnchosen)) return given;
  return Object.fromEntries(Object.entries(given).filter(([name]) => !isUnchosen(name)));
}

/**
 * A value that contains values of its own kind. @param bounds of its levels and of its nodes, which JSON Schema cannot express
 * @param describe creates the schema, given the schema of the inner value
 */
export function recursive<Value>(
  name: string,
  bounds: { readonly depthMax: number; readonly nodesMax: number },
  describe: (inner: TUnsafe<Value>) => TUnsafe<Value>,
): TUnsafe<Value> {
  const reader: Reader = (part) => readNode(part, name, bounds, readerOf(whole));
  const whole: TUnsafe<Value> = describe(withReader(byName<Value>(name), reader, { converts: true }));
  return withReader(whole, reader, { converts: true });
}

function readNode(part: Part, name: string, bounds: { depthMax: number; nodesMax: number }, reader: Reader): unknown {
  const { levels } = part.input;
  const level = levels.get(name) ?? { root: part, depth: 0, nodes: 0 };
  if (level.depth >= bounds.depthMax) return wrong(part, `must be at most ${bounds.depthMax} deep`);
  level.nodes += 1;
  if (level.nodes > bounds.nodesMax) return wrong(level.root, `must have at most ${bounds.nodesMax} nodes`);
  levels.set(name, level);
  level.depth += 1;
  const found = reader(part);
  level.depth -= 1;
  if (level.depth === 0) levels.delete(name);
  return found;
}
