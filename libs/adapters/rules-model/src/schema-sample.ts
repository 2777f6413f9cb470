import { isJsonList, isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import { memberSchemas, SchemaCheck } from '@app/runs';

/** Maximum number of steps in one search, because `anyOf` within `anyOf` multiplies. They take some 10 milliseconds. */
const stepsMax = 100_000;
const stepsPerLook = 20;
const stepsPerMember = 5;
/** Number of characters written in the time of one step. */
const lengthPerStep = 32;
/** Maximum length of a sample when serialized, in characters; a longer one is given up. */
const lengthMax = 64 * 1024;

/**
 * A small value that satisfies a schema of the supported subset (docs/decisions/runs.md), or undefined if there is
 * none, or none within bounds. Lists are as short and numbers as close to zero as possible; optional members are
 * included.
 */
export function sampleOf(schema: JsonValue): JsonValue | undefined {
  return new Sampler().sample([schema])?.value;
}

interface Sample {
  readonly value: JsonValue;
  /** Approximate length when serialized. */
  readonly length: number;
}

const typeNames = ['null', 'boolean', 'object', 'array', 'integer', 'number', 'string'] as const;
type TypeName = (typeof typeNames)[number];

/** Searches for a value that satisfies several schemas at once. */
class Sampler {
  private readonly check = new SchemaCheck(stepsMax);

  sample(schemas: readonly JsonValue[]): Sample | undefined {
    if (!this.check.spend(schemas.length * stepsPerLook + stepsPerLook) || schemas.includes(false)) return undefined;
    const all = schemas.filter(isJsonObject);
    const branching = all.find((schema) => Array.isArray(schema['anyOf']));
    if (branching !== undefined) return this.sampleBranch(branching, all);
    const listed = all.map(allowedValues).find((values) => values !== undefined);
    if (listed !== undefined) return this.sampleOfValue(this.findAllowed(listed, all));
    return first(typesOf(all), (type) => this.sampleType(type, all));
  }

  private sampleBranch(branching: JsonObject, all: readonly JsonObject[]): Sample | undefined {
    const { anyOf, ...rest } = branching;
    const others = all.filter((schema) => schema !== branching);
    return first(listOf(anyOf), (branch) => this.sample([...others, rest, branch]));
  }

  private findAllowed(values: readonly JsonValue[], all: readonly JsonObject[]): JsonValue | undefined {
    return values.find((value) => all.every((schema) => this.check.satisfies(value, schema)));
  }

  private sampleOfValue(value: JsonValue | undefined): Sample | undefined {
    if (value === undefined) return undefined;
    const { length } = JSON.stringify(value);
    return this.check.spend(length / lengthPerStep) ? boundSample(value, length) : undefined;
  }

  private sampleType(type: TypeName, all: readonly JsonObject[]): Sample | undefined {
    switch (type) {
      case 'null':
        return { value: null, length: 4 };
      case 'boolean':
        return { value: false, length: 5 };
      case 'integer':
      case 'number':
        return this.sampleOfValue(numberNearZero(all, type));
      case 'string': {
        const count = countWithin(all, 'minLength', 'maxLength');
        return count === undefined ? undefined : { value: 'a'.repeat(count), length: count + 2 };
      }
      case 'array':
        return this.sampleArray(all);
      case 'object':
        return this.sampleObject(all);
    }
  }

  private sampleArray(all: readonly JsonObject[]): Sample | undefined {
    const count = countWithin(all, 'minItems', 'maxItems');
    if (count === undefined) return undefined;
    if (count === 0) return { value: [], length: 2 };
    const item = this.sample(all.flatMap((schema) => schema['items'] ?? []));
    if (item === undefined) return undefined;
    const length = count * (item.length + 1) + 2;
    if (!this.check.spend(count) || length > lengthMax) return undefined;
    return { value: Array.from({ length: count }, () => item.value), length };
  }

  private sampleObject(all: readonly JsonObject[]): Sample | undefined {
    const required = new Set(all.flatMap((schema) => listOf(schema['required']).map(String)));
    const named = all.flatMap((schema) => Object.keys(membersOf(schema)));
    if (!this.check.spend((required.size + named.length) * stepsPerMember)) return undefined;
    const members: [string, JsonValue][] = [];
    let length = 2;
    for (const name of new Set([...required, ...named])) {
      const member = this.sample(all.flatMap((schema) => memberSchemas(schema, name)));
      const longer = length + name.length + (member?.length ?? 0) + 4;
      if (member !== undefined && longer <= lengthMax) {
        members.push([name, member.value]);
        length = longer;
      } else if (required.has(name)) return undefined;
    }
    return { value: Object.fromEntries(members), length };
  }
}

function first<Item, Found>(items: readonly Item[], find: (item: Item) => Found | undefined): Found | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

function boundSample(value: JsonValue, length: number): Sample | undefined {
  return length > lengthMax ? undefined : { value, length };
}

/** The values listed in `const` or `enum`; undefined if neither is present. */
function allowedValues(schema: JsonObject): readonly JsonValue[] | undefined {
  if (Object.hasOwn(schema, 'const')) return [schema['const'] ?? null];
  return Object.hasOwn(schema, 'enum') ? listOf(schema['enum']) : undefined;
}

/** The types that all of the schemas allow, beginning with those that the schemas mention. */
function typesOf(all: readonly JsonObject[]): readonly TypeName[] {
  const lists = all.flatMap(({ type }) => (type === undefined ? [] : [Array.isArray(type) ? listOf(type) : [type]]));
  const isAllowed = (name: TypeName) =>
    lists.every((list) => list.includes(name) || (name === 'integer' && list.includes('number')));
  const meant = all.some((schema) => 'properties' in schema || 'required' in schema) ? (['object'] as const) : [];
  const listed = typeNames.filter((name) => lists[0]?.includes(name));
  return [...new Set([...meant, ...listed, ...typeNames])].filter(isAllowed);
}

function numberNearZero(all: readonly JsonObject[], type: 'integer' | 'number'): number | undefined {
  const least = Math.max(-Number.MAX_VALUE, ...numbersOf(all, 'minimum'));
  const most = Math.min(Number.MAX_VALUE, ...numbersOf(all, 'maximum'));
  const [low, high] = type === 'integer' ? [Math.ceil(least), Math.floor(most)] : [least, most];
  return low > high ? undefined : Math.min(Math.max(0, low), high);
}

function countWithin(all: readonly JsonObject[], least: string, most: string): number | undefined {
  const count = Math.max(0, ...numbersOf(all, least));
  return count > Math.min(lengthMax, ...numbersOf(all, most)) ? undefined : count;
}

function numbersOf(all: readonly JsonObject[], keyword: string): number[] {
  return all.flatMap(({ [keyword]: value }) => (typeof value === 'number' ? [value] : []));
}

function membersOf(schema: JsonObject): JsonObject {
  return isJsonObject(schema['properties']) ? schema['properties'] : {};
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return isJsonList(value) ? value : [];
}
