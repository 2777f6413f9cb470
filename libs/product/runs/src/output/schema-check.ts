import { codePointLength, isJsonObject, pointerTo, type JsonObject, type JsonValue } from '@app/kernel';

/** Code units of a text that are counted in the time of one step, about a tenth of a microsecond. */
const unitsPerStep = 16;
const stepsPerLook = 5;
const stepsPerMember = 10;

/** The fault of a value, in words for its author, and the JSON pointer to its place. */
export interface Fault {
  readonly path: string;
  readonly words: string;
}

const tooMuch = fault('takes too long to check');

/**
 * Checks values against schemas of the supported subset of JSON Schema 2020-12 (docs/decisions/runs.md), which admission has checked.
 *
 * A library would compile each schema, and the authors of the schema and the value would control how long the compilation and the compiled
 * check take. Here every step is counted: beyond `stepsMax`, every value is invalid.
 */
export class SchemaCheck {
  private steps = 0;

  constructor(private readonly stepsMax: number) {}

  /** Counts work of the caller; false once the total exceeds the limit. */
  spend(steps: number): boolean {
    this.steps += steps;
    return this.steps <= this.stepsMax;
  }

  satisfies(value: JsonValue, schema: JsonValue): boolean {
    return this.faultIn(value, schema) === null;
  }

  /** Returns the first fault of a value; null if it satisfies the schema. */
  faultIn(value: JsonValue, schema: JsonValue): Fault | null {
    if (!this.spend(stepsPerLook)) return tooMuch;
    if (schema === false) return fault('must not be there');
    if (!isJsonObject(schema)) return null;
    const own = this.typeFault(value, schema) ?? this.listedFault(value, schema) ?? this.sizeFault(value, schema);
    return (
      own ?? this.alternativesFault(value, schema) ?? this.itemsFault(value, schema) ?? this.membersFault(value, schema)
    );
  }

  private typeFault(value: JsonValue, { type }: JsonObject): Fault | null {
    const names = textsIn(type);
    return type === undefined || names.some((name) => isOfType(value, name))
      ? null
      : fault(`must be ${names.join(' or ')}`);
  }

  private listedFault(value: JsonValue, schema: JsonObject): Fault | null {
    const listed = [
      ...(schema['const'] === undefined ? [] : [[schema['const']]]),
      ...(schema['enum'] === undefined ? [] : [listOf(schema['enum'])]),
    ];
    return listed.every((values) => values.some((one) => this.isEqual(value, one)))
      ? null
      : fault('must be an allowed value');
  }

  private sizeFault(value: JsonValue, schema: JsonObject): Fault | null {
    if (typeof value === 'number') return outside(value, schema, 'minimum', 'maximum', '');
    if (isList(value)) return outside(value.length, schema, 'minItems', 'maxItems', ' items');
    if (typeof value !== 'string' || !('minLength' in schema || 'maxLength' in schema)) return null;
    if (!this.spend(value.length / unitsPerStep)) return tooMuch;
    return outside(codePointLength(value), schema, 'minLength', 'maxLength', ' characters');
  }

  private alternativesFault(value: JsonValue, { anyOf }: JsonObject): Fault | null {
    const fits = anyOf === undefined || listOf(anyOf).some((schema) => this.satisfies(value, schema));
    return fits ? null : fault('must fit one of the alternatives');
  }

  private itemsFault(value: JsonValue, { items }: JsonObject): Fault | null {
    if (items === undefined || !isList(value)) return null;
    for (const [index, item] of value.entries()) {
      const found = this.faultIn(item, items);
      if (found !== null) return inside(index, found);
    }
    return null;
  }

  private membersFault(value: JsonValue, schema: JsonObject): Fault | null {
    if (!isJsonObject(value)) return null;
    const required = textsIn(schema['required']);
    if (!this.spend(required.length)) return tooMuch;
    const missing = required.find((name) => !Object.hasOwn(value, name));
    if (missing !== undefined) return fault(`must have required property '${missing}'`);
    if (!('properties' in schema || 'additionalProperties' in schema)) return null;
    const names = Object.keys(value);
    if (!this.spend(names.length * stepsPerMember)) return tooMuch;
    for (const name of names) {
      for (const asked of memberSchemas(schema, name)) {
        const found = this.faultIn(value[name] ?? null, asked);
        if (found !== null) return inside(name, found);
      }
    }
    return null;
  }

  private isEqual(one: JsonValue, other: JsonValue): boolean {
    if (!this.spend(1)) return false;
    if (isList(one)) {
      return (
        isList(other) &&
        one.length === other.length &&
        one.every((item, index) => this.isEqual(item, other[index] ?? null))
      );
    }
    if (!isJsonObject(one)) return one === other;
    const names = Object.keys(one);
    if (!this.spend(names.length) || !isJsonObject(other) || names.length !== Object.keys(other).length) return false;
    return names.every((name) => Object.hasOwn(other, name) && this.isEqual(one[name] ?? null, other[name] ?? null));
  }
}

/** The schemas that apply to a member of that name: none or one. */
export function memberSchemas(schema: JsonObject, name: string): readonly JsonValue[] {
  const { properties, additionalProperties } = schema;
  const asked = isJsonObject(properties) && Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
  return asked === undefined ? [] : [asked];
}

function fault(words: string): Fault {
  return { path: '', words };
}

function inside(token: string | number, { path, words }: Fault): Fault {
  return { path: pointerTo(token) + path, words };
}

function outside(size: number, schema: JsonObject, least: string, most: string, unit: string): Fault | null {
  const { [least]: min, [most]: max } = schema;
  if (typeof min === 'number' && size < min) return fault(`must be at least ${min}${unit}`);
  return typeof max === 'number' && size > max ? fault(`must be at most ${max}${unit}`) : null;
}

function isOfType(value: JsonValue, name: string): boolean {
  if (name === 'integer') return Number.isInteger(value);
  if (name === 'null') return value === null;
  if (name === 'array') return isList(value);
  if (name === 'object') return isJsonObject(value);
  return name === 'number' ? Number.isFinite(value) : typeof value === name;
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  if (value === undefined) return [];
  return isList(value) ? value : [value];
}

function textsIn(value: JsonValue | undefined): readonly string[] {
  return listOf(value).filter((one) => typeof one === 'string');
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
