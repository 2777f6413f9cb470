import type { TSchema } from '@sinclair/typebox';
import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import { briefOf, isMerged, toldOf } from './briefs';
import { joinShapes, mergeShapes } from './merged-shapes';
import { nameOf } from './names';

/** A repeated part of at least this length is defined once, under `$defs`. */
const repeatedLengthMin = 60;
const components = '#/components/schemas/';
const definitions = '#/$defs/';

const forDocuments: readonly string[] = ['description', 'discriminator', 'examples', 'default'];
const holdingSchemas: readonly string[] = ['items', 'additionalProperties', 'not', 'oneOf', 'anyOf'];

/**
 * Returns the schema for models: plain JSON Schema, with the descriptions that are for them. It allows the values that the reader accepts,
 * or more if the schema is replaced by `inBrief`.
 * @throws Error for shapes that are to be merged and cannot be
 */
export function modelSchema(schema: TSchema): JsonObject {
  return new ModelSchema().of(schema);
}

class ModelSchema {
  /** Name of each schema part, keyed by its JSON: its own, or that of the first member that uses it. */
  private readonly names = new Map<string, string>();
  private readonly counts = new Map<string, number>();
  /** Names to which a recursion refers. */
  private readonly recurring = new Set<string>();
  /** The JSON of each definition, by name. */
  private readonly texts = new Map<string, string>();
  private readonly defined: Record<string, JsonValue> = {};

  of(schema: TSchema): JsonObject {
    const whole = this.told(schema, 'input');
    this.count(whole);
    const told = this.referring(whole);
    return Object.keys(this.defined).length === 0 ? told : { ...told, $defs: this.defined };
  }

  /** @param member name of the member with the schema */
  private told(described: object, member: string): JsonObject {
    const schema = toldOf(described);
    const reference: unknown = Reflect.get(schema, '$ref');
    if (typeof reference === 'string') return this.recurrence(reference.slice(components.length));
    const keywords = Object.entries(schema).filter(
      ([keyword, value]) => value !== undefined && isTold(keyword, schema),
    );
    const plain = Object.fromEntries(
      keywords.map(([keyword, value]) => [keyword === 'oneOf' ? 'anyOf' : keyword, this.value(keyword, value, member)]),
    );
    const description = briefOf(schema);
    const united = isMerged(schema) ? mergeShapes(optionsOf(plain)) : joinShapes(plain);
    const told = description === null ? united : { ...united, description };
    const text = JSON.stringify(told);
    if (!this.names.has(text)) this.names.set(text, nameOf(schema) ?? member);
    return told;
  }

  private recurrence(name: string): JsonObject {
    this.recurring.add(name);
    return { $ref: definitions + name };
  }

  private value(keyword: string, value: unknown, member: string): JsonValue {
    if (keyword === 'properties') {
      // Reason for the assertion: JSON Schema defines it so.
      const properties = Object.entries(value as Record<string, object>);
      return Object.fromEntries(properties.map(([name, schema]) => [name, this.told(schema, name)]));
    }
    const plain = (part: unknown): JsonValue =>
      // Reason for the assertion: a value that is not a schema is JSON.
      typeof part === 'object' && part !== null ? this.told(part, member) : (part as JsonValue);
    // Reason for the assertion: as above.
    if (!holdingSchemas.includes(keyword)) return value as JsonValue;
    return Array.isArray(value) ? value.map(plain) : plain(value);
  }

  /** Counts the occurrences of each part; parts of a repeated one are counted only once. */
  private count(value: JsonValue): void {
    if (Array.isArray(value)) value.forEach((one: JsonValue) => this.count(one));
    if (!isJsonObject(value)) return;
    const text = JSON.stringify(value);
    const count = (this.counts.get(text) ?? 0) + 1;
    this.counts.set(text, count);
    if (count === 1) Object.values(value).forEach((one) => this.count(one));
  }

  private referring(whole: JsonObject): JsonObject {
    return Object.fromEntries(Object.entries(whole).map(([key, value]) => [key, this.referred(value)]));
  }

  private referred(value: JsonValue): JsonValue {
    if (Array.isArray(value)) return value.map((one: JsonValue) => this.referred(one));
    if (!isJsonObject(value)) return value;
    const text = JSON.stringify(value);
    const name = this.names.get(text);
    if (name === undefined || !this.standsApart(text, name)) return this.referring(value);
    return { $ref: definitions + this.define(text, name, value) };
  }

  /** @returns the name of the part's definition: a different one if the name is already taken by another part */
  private define(text: string, name: string, part: JsonObject): string {
    const known = this.texts.get(name);
    if (known !== undefined && known !== text) return this.define(text, `${name}_`, part);
    this.texts.set(name, text);
    this.defined[name] ??= this.referring(part);
    return name;
  }

  private standsApart(text: string, name: string): boolean {
    if (this.recurring.has(name)) return true;
    return text.length >= repeatedLengthMin && (this.counts.get(text) ?? 0) > 1;
  }
}

/**
 * Whether models receive the keyword. The formats of numbers only inform generators of their width; a constant and an enum imply the type
 * of their values.
 */
function isTold(keyword: string, schema: object): boolean {
  if (forDocuments.includes(keyword)) return false;
  if (keyword === 'minLength' || keyword === 'minItems') return Reflect.get(schema, keyword) !== 0;
  if (keyword === 'format') return !['integer', 'number'].includes(String(Reflect.get(schema, 'type')));
  if (keyword === 'enum') return !('const' in schema);
  return keyword !== 'type' || !('const' in schema || 'enum' in schema);
}

function optionsOf({ anyOf }: JsonObject): readonly JsonObject[] {
  // Reason for the assertion: `variants` puts its shapes there.
  return (anyOf ?? []) as readonly JsonObject[];
}
