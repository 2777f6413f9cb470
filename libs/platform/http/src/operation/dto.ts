import { isJsonObject, type Issue } from '@app/kernel';
import { dtoOf, isOptional, optional, read, type DtoClass, type Schema, type Shaped } from '@app/schema';
import { buildMessage, ValidateBy, ValidateIf, type ValidationArguments } from 'class-validator';

/** Decorates a property whose type includes all values of the schema's type; otherwise its name must be `never`, which does not compile. */
type MemberDecorator<Value> = <Dto extends object, Name extends string & keyof Dto>(
  dto: Dto,
  property: [Value] extends [Dto[Name]] ? Name : never,
) => void;

/**
 * Declares a member by its schema. class-validator's rule, the DTO's value (ids in lower case, instants in UTC) and the reference follow
 * from it. One that is `optional` may be absent; `null`, as serializers write absence, counts as absence too, unless the schema allows it.
 * One that is `ofDto` holds another DTO.
 */
export function Member<Described extends Schema>(schema: Described): MemberDecorator<Shaped<Described>> {
  return (dto, property) => note(dto, property, schema);
}

/**
 * Declares a query parameter by the schema of its value: the DTO holds the number or boolean, or the schema's `default` if it is absent.
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

/** The body of an operation without one, absent or `{}`; and the query of one without parameters. */
export class NoBody {}

/** The declarations of the decorators above for a DTO class, in addition to class-validator's rules. */
export interface DtoPlan {
  readonly nested: Map<string, () => DtoClass>;
  /** Schemas of the members that are not DTOs. */
  readonly schemas: Map<string, Schema>;
  readonly optional: Set<string>;
  /** Conversions from the texts of query parameters to their values. */
  readonly spellings: Map<string, (value: unknown) => unknown>;
}

const plans = new WeakMap<object, DtoPlan>();

/** Returns the plan of a DTO class; creates an empty one if it has none. */
function planOf(dto: object): DtoPlan {
  const known = plans.get(dto);
  if (known !== undefined) return known;
  const plan: DtoPlan = { nested: new Map(), schemas: new Map(), optional: new Set(), spellings: new Map() };
  plans.set(dto, plan);
  return plan;
}

/** The plans of a DTO class and of its base classes: decorators record a member with the class that declares it. */
export function plansOf(dto: object): readonly DtoPlan[] {
  const above: unknown = Object.getPrototypeOf(dto);
  const inherited = typeof above === 'function' && above !== Function.prototype ? plansOf(above) : [];
  return [planOf(dto), ...inherited];
}

/** Objects and lists that `read` has produced, with their schema: class-validator need not read them again. */
const madeBy = new WeakMap<object, Schema>();

/** Returns the value as the schema reads it; any other value unchanged, for class-validator to refuse. */
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

/** Issues of a member's value, each with its pointer. @param path of the member */
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

/** The number or boolean that a query's text spells; any other value unchanged. */
function valueOfText(schema: Schema, value: unknown): unknown {
  if (schema['type'] === 'boolean') return value === 'true' || (value === 'false' ? false : value);
  const isDecimal = typeof value === 'string' && /^(0|[1-9][0-9]{0,15})$/.test(value);
  return schema['type'] === 'integer' && isDecimal ? Number(value) : value;
}
