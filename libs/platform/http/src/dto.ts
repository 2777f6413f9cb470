import { isJsonObject, type Issue } from '@app/kernel';
import { dtoOf, isOptional, optional, read, type DtoClass, type Schema, type Shaped } from '@app/schema';
import { buildMessage, ValidateBy, ValidateIf, type ValidationArguments } from 'class-validator';

/** Decorates a property whose type has all values of that type; `never` as the property's name is the compiler's way to say that it has not. */
type MemberDecorator<Value> = <Dto extends object, Name extends string & keyof Dto>(
  dto: Dto,
  property: [Value] extends [Dto[Name]] ? Name : never,
) => void;

/**
 * A member as the schema describes it. class-validator's rule, what the DTO holds of the value (ids in lower case, instants in UTC) and
 * the reference follow from it. One that is `optional` may be absent; `null`, which is how serializers write that, is absence too,
 * unless the schema has it. One that is `ofDto` holds another DTO.
 */
export function Member<Described extends Schema>(schema: Described): MemberDecorator<Shaped<Described>> {
  return (dto, property) => note(dto, property, schema);
}

/**
 * A query parameter that spells what the schema describes: the DTO holds the number or the boolean, or the schema's `default` where it
 * is absent.
 */
export function QueryMember<Described extends Schema>(schema: Described): MemberDecorator<Shaped<Described>> {
  const meant: unknown = schema['default'];
  return (dto, property) => {
    note(dto, property, meant === undefined ? schema : optional(schema));
    planOf(dto.constructor).spellings.set(property, (value) =>
      value === undefined ? meant : valueOfText(schema, value),
    );
  };
}

/** The body of an operation that takes none, absent or `{}`; and the query of one without parameters. */
export class NoBody {}

/** What the decorators above declare about a DTO class, besides the rules that class-validator keeps. */
export interface DtoPlan {
  readonly nested: Map<string, () => DtoClass>;
  /** The schemas of members that no other DTO describes. */
  readonly schemas: Map<string, Schema>;
  readonly optional: Set<string>;
  /** What is meant by the texts of query parameters. */
  readonly spellings: Map<string, (value: unknown) => unknown>;
}

const plans = new WeakMap<object, DtoPlan>();

/** The plan of a DTO class; a class without one gets an empty one. */
function planOf(dto: object): DtoPlan {
  const known = plans.get(dto);
  if (known !== undefined) return known;
  const plan: DtoPlan = { nested: new Map(), schemas: new Map(), optional: new Set(), spellings: new Map() };
  plans.set(dto, plan);
  return plan;
}

/** The plans of a DTO class and of those that it extends: decorators note a member with the class that declares it. */
export function plansOf(dto: object): readonly DtoPlan[] {
  const above: unknown = Object.getPrototypeOf(dto);
  const inherited = typeof above === 'function' && above !== Function.prototype ? plansOf(above) : [];
  return [planOf(dto), ...inherited];
}

/** Objects and lists that were made by reading, with the schema that they were read by: class-validator need not read them again. */
const madeBy = new WeakMap<object, Schema>();

/** What the schema makes of a value; any other value unchanged, for class-validator to refuse. */
export function convert(schema: Schema, value: unknown): unknown {
  const found = value === undefined ? null : read(schema, value);
  if (found?.ok !== true) return value;
  const made: unknown = found.value;
  if (typeof made === 'object' && made !== null) madeBy.set(made, schema);
  return made;
}

function accepts(schema: Schema, value: unknown): boolean {
  const isMade = typeof value === 'object' && value !== null && madeBy.get(value) === schema;
  return isMade || read(schema, value).ok;
}

/** What is wrong with a member's value, each issue with its pointer. @param path of the member */
export function issuesOf(schema: Schema, value: unknown, path = ''): readonly Issue[] {
  if (value === undefined) return [{ path, message: 'is required' }];
  const found = read(schema, value, path);
  return found.ok || found.refusal.kind !== 'invalid_input' ? [] : found.refusal.issues;
}

function note(dto: object, property: string, schema: Schema): void {
  const plan = planOf(dto.constructor);
  const inner = dtoOf(schema);
  if (inner === null) plan.schemas.set(property, schema);
  else plan.nested.set(property, () => inner);
  if (isOptional(schema)) {
    plan.optional.add(property);
    ValidateIf((_, value) => value !== undefined)(dto, property);
  }
  ValidateBy({
    name: 'member',
    validator: {
      validate: (value: unknown) => (inner === null ? accepts(schema, value) : isJsonObject(value)),
      defaultMessage: buildMessage((_, args?: ValidationArguments) => {
        if (inner !== null && args?.value !== undefined) return 'must be an object';
        return issuesOf(schema, args?.value)[0]?.message ?? 'is not valid';
      }),
    },
  })(dto, property);
}

/** The number or boolean that a query's text stands for; any other value unchanged. */
function valueOfText(schema: Schema, value: unknown): unknown {
  if (schema['type'] === 'boolean') return value === 'true' || (value === 'false' ? false : value);
  const isDecimal = typeof value === 'string' && /^(0|[1-9][0-9]{0,15})$/.test(value);
  return schema['type'] === 'integer' && isDecimal ? Number(value) : value;
}
