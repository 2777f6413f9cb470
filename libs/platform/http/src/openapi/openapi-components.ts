import type { JsonObject, JsonValue } from '@app/kernel';
import { type DtoClass, dtoOf, nameOf } from '@app/schema';
import { getMetadataStorage } from 'class-validator';
import { plansOf } from '../operation/dto';

const schemasPointer = '#/components/schemas/';

/** Collects the named schemas that a document refers to, each once under `#/components/schemas`. */
export class SchemaComponents {
  private readonly found = new Map<string, JsonValue>();
  private readonly wanted = new Set<string>();

  /** Returns the schema as plain JSON, in which every named part is a reference. */
  refer(schema: object): JsonObject {
    const dto = dtoOf(schema);
    if (dto !== null) return this.referDto(dto);
    const wanted: unknown = Reflect.get(schema, '$ref');
    if (typeof wanted === 'string') this.wanted.add(wanted);
    const name = nameOf(schema);
    return name === null ? this.plainObject(schema) : this.keep(name, this.plainObject(schema));
  }

  /** Refers to a request body that a DTO class describes, by the class's name. Request bodies are strict: unknown members are refused. */
  referDto(dto: DtoClass): JsonObject {
    return this.keep(dto.name.replace(/Dto$/, ''), this.dtoSchema(dto));
  }

  /** The members of a DTO with their schemas, and whether they are required. */
  membersOf(
    dto: DtoClass,
  ): readonly { readonly name: string; readonly required: boolean; readonly schema: JsonObject }[] {
    const plans = plansOf(dto);
    const rules = getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false);
    const names = [...new Set(rules.map((rule) => rule.propertyName))];
    return names.map((name) => {
      const inner = plans.map(({ nested }) => nested.get(name)).find(Boolean);
      const own = plans.map(({ schemas }) => schemas.get(name)).find(Boolean);
      const schema = inner === undefined ? {} : this.referDto(inner());
      const required = !plans.some(({ optional }) => optional.has(name));
      return { name, required, schema: { ...schema, ...(own && this.refer(own)) } };
    });
  }

  /** Everything that was referred to, sorted by name. @throws Error if a name that was referred to has no schema */
  get schemas(): JsonObject {
    const missing = [...this.wanted].filter((pointer) => !this.found.has(pointer.slice(schemasPointer.length)));
    if (missing.length > 0) throw new Error(`the document has no ${missing.join(', ')}`);
    return Object.fromEntries([...this.found].sort(([one], [other]) => (one < other ? -1 : 1)));
  }

  private dtoSchema(dto: DtoClass): JsonObject {
    const members = this.membersOf(dto);
    const required = members.filter((member) => member.required).map(({ name }) => name);
    return {
      type: 'object',
      properties: Object.fromEntries(members.map(({ name, schema }) => [name, schema])),
      ...(required.length > 0 && { required }),
      additionalProperties: false,
    };
  }

  private keep(name: string, schema: JsonObject): JsonObject {
    const known = this.found.get(name);
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema)) {
      throw new Error(`two different schemas are named ${name}`);
    }
    this.found.set(name, schema);
    return { $ref: `${schemasPointer}${name}` };
  }

  private plainObject(schema: object): JsonObject {
    const members = Object.entries(schema).filter(([, value]) => value !== undefined);
    return Object.fromEntries(members.map(([key, value]) => [key, this.plain(value)]));
  }

  private plain(value: unknown): JsonValue {
    if (Array.isArray(value)) return value.map((item) => this.plain(item));
    if (typeof value === 'object' && value !== null) return this.refer(value);
    // Reason for the assertion: schemas hold nothing but JSON and TypeBox's symbols, which `entries` leaves out.
    return value as JsonValue;
  }
}

/** Returns the schema on its own, for a validator: the schemas that it names are included, where its references point. */
export function standalone(schema: object): JsonObject {
  const components = new SchemaComponents();
  const described = components.refer(schema);
  return { ...described, components: { schemas: components.schemas } };
}

/** The members of a DTO without a document, from which the command line derives options. */
export function membersOfDto(dto: DtoClass): ReturnType<SchemaComponents['membersOf']> {
  return new SchemaComponents().membersOf(dto);
}
