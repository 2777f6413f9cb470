import { codePointLength, instantIn, instantRule, limits, parseUuid } from '@app/kernel';
import { integerFormat, publishedInstant, publishedPattern, type DtoClass } from '@app/schema';
import { buildMessage, ValidateBy, ValidateIf, type ValidationArguments } from 'class-validator';

/** The member may be absent. `null`, which is how serializers write that, is absence too, unless the member's own type has it. */
export function Optional(): PropertyDecorator {
  return both(
    (target, property) => void planOf(target.constructor).optional.add(String(property)),
    ValidateIf((_, value) => value !== undefined),
  );
}

/** What the member means, for the reference; applied above the rule that it describes. */
export function Describe(description: string): PropertyDecorator {
  return DescribedBy({ description });
}

/** An example of the member, for the reference. */
export function Example(example: string): PropertyDecorator {
  return DescribedBy({ examples: [example] });
}

/** The `cursor` of a list. Any text passes here: one that the list did not mint is `invalid_cursor`, which the list itself says. */
export function CursorText(): PropertyDecorator {
  const schema = {
    type: 'string',
    maxLength: limits.cursorLengthMax,
    description: 'The `nextCursor` of the page before',
    examples: ['nJ3mR0cSSv7wY1tq2b8ZbVsyXQ'],
  };
  return Value('a text', (value) => typeof value === 'string', schema);
}

/** A text of `min` to `max` code points, without U+0000, which no store of ours keeps, and without lone surrogates. */
export function Text(bounds: {
  readonly min?: number;
  readonly max: number;
  readonly pattern?: RegExp;
}): PropertyDecorator {
  const { min = 0, max, pattern } = bounds;
  const check = rule('text', `must be a text of ${min} to ${max} characters`, (value) => {
    if (typeof value !== 'string' || value.includes('\0') || loneSurrogate.test(value)) return false;
    const length = codePointLength(value);
    return length >= min && length <= max && (pattern?.test(value) ?? true);
  });
  const schema = {
    type: 'string',
    minLength: min,
    maxLength: max,
    ...(pattern && { pattern: publishedPattern(pattern) }),
  };
  return both(check, DescribedBy(schema));
}

/** A UUID in either case; the DTO holds it in lower case. */
export function Uuid(): PropertyDecorator {
  return both(
    ConvertedBy(parseUuid),
    rule('uuid', 'must be a UUID', (value) => parseUuid(value) !== null),
    DescribedBy(uuidSchema),
  );
}

/** An instant, however RFC 3339 spells it; the DTO holds the `Instant`. */
export function GivenInstant(meaning?: string): PropertyDecorator {
  return both(
    ConvertedBy(instantIn),
    rule('instant', instantRule, (value) => instantIn(value) !== null),
    DescribedBy(publishedInstant(meaning)),
  );
}

/** An array of `min` to `max` items, each a UUID in either case; the DTO holds them in lower case. */
export function UuidList(bounds: { readonly min?: number; readonly max: number }): PropertyDecorator {
  return both(
    ConvertedBy((value) => (Array.isArray(value) ? value.map((item: unknown) => parseUuid(item) ?? item) : value)),
    Items({ ...bounds, of: (item) => parseUuid(item) !== null, what: 'a UUID', schema: uuidSchema }),
  );
}

/** An array of `min` to `max` items that all pass `of`; the issue of each that does not names its index. */
export function Items(list: {
  readonly min?: number;
  readonly max: number;
  readonly of: (item: unknown) => boolean;
  readonly what: string;
  /** Of an item. */
  readonly schema: object;
}): PropertyDecorator {
  const { min = 0, max, schema } = list;
  const length = rule('items', `must be a list of ${min} to ${max} items`, (value) => {
    return Array.isArray(value) && value.length >= min && value.length <= max;
  });
  const all = DescribedBy({ type: 'array', minItems: min, maxItems: max, items: schema });
  return both(length, checkedItems({ of: list.of, what: list.what }), all);
}

/** A whole JSON number from `min` to `max`. */
export function Whole(bounds: { readonly min: number; readonly max: number }): PropertyDecorator {
  const { min, max } = bounds;
  const check = rule('whole', `must be a whole number from ${min} to ${max}`, (value) => {
    return typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max;
  });
  return both(check, DescribedBy({ type: 'integer', format: integerFormat(max), minimum: min, maximum: max }));
}

/** One of these texts. */
export function OneOf(values: readonly string[]): PropertyDecorator {
  const check = rule('oneOf', `must be one of ${values.join(', ')}`, (value) => {
    return typeof value === 'string' && values.includes(value);
  });
  return both(check, DescribedBy({ type: 'string', enum: [...values] }));
}

/** A query parameter that spells a whole number from `min` to `max`; the DTO holds the number, or `default` when it is absent. */
export function IntegerText(bounds: {
  readonly min: number;
  readonly max: number;
  readonly default?: number;
}): PropertyDecorator {
  return both(
    ConvertedBy((value) => (value === undefined ? bounds.default : spelledInteger(value))),
    Whole(bounds),
    ...defaultsTo(bounds.default),
  );
}

/** A query parameter that is `true` or `false`; the DTO holds the boolean, or `default` when it is absent. */
export function BooleanText(options: { readonly default?: boolean } = {}): PropertyDecorator {
  return both(
    ConvertedBy((value) =>
      value === undefined ? options.default : value === 'true' || (value === 'false' ? false : value),
    ),
    Flag(),
    ...defaultsTo(options.default),
  );
}

/** A boolean of JSON. */
export function Flag(): PropertyDecorator {
  const check = rule('boolean', 'must be true or false', (value) => typeof value === 'boolean');
  return both(check, DescribedBy({ type: 'boolean' }));
}

/** A JSON object whose members another DTO describes. Arrays and null are refused. */
export function Nested(dto: () => DtoClass): PropertyDecorator {
  return (target, property) => {
    planOf(target.constructor).nested.set(String(property), dto);
    rule('nested', 'must be an object', isPlainObject)(target, property);
  };
}

/** Any value that `accepts` says yes to; the DTO holds it untouched. @param schema what can be said of it in JSON Schema */
export function Value(what: string, accepts: (value: unknown) => boolean, schema: object): PropertyDecorator {
  return both(rule('value', `must be ${what}`, accepts), DescribedBy(schema));
}

/** The body of an operation that takes none, absent or `{}`; and the query of one without parameters. */
export class NoBody {}

/** What the decorators above told of one DTO class, beside the rules that class-validator keeps. */
export interface DtoPlan {
  readonly nested: Map<string, () => DtoClass>;
  readonly conversions: Map<string, (value: unknown) => unknown>;
  readonly items: Map<string, { readonly of: (item: unknown) => boolean; readonly what: string }>;
  /** For the reference: the JSON Schema of each member that no other DTO describes, and the members that may be absent. */
  readonly schemas: Map<string, object>;
  readonly optional: Set<string>;
}

const plans = new WeakMap<object, DtoPlan>();

/** The plan of a DTO class; a class without one gets an empty one. */
export function planOf(dto: object): DtoPlan {
  const known = plans.get(dto);
  if (known !== undefined) return known;
  const plan: DtoPlan = {
    nested: new Map(),
    conversions: new Map(),
    items: new Map(),
    schemas: new Map(),
    optional: new Set(),
  };
  plans.set(dto, plan);
  return plan;
}

/** The plans of a DTO class and of those that it extends: decorators note a member with the class that declares it. */
export function plansOf(dto: object): readonly DtoPlan[] {
  const above: unknown = Object.getPrototypeOf(dto);
  const inherited = typeof above === 'function' && above !== Function.prototype ? plansOf(above) : [];
  return [planOf(dto), ...inherited];
}

export function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const loneSurrogate = /\p{Surrogate}/u;

const uuidSchema = { type: 'string', format: 'uuid' };

/** Adds to what the reference says of a member. */
function DescribedBy(schema: object): PropertyDecorator {
  return (target, property) => {
    const { schemas } = planOf(target.constructor);
    schemas.set(String(property), { ...schemas.get(String(property)), ...schema });
  };
}

function defaultsTo(value: number | boolean | undefined): PropertyDecorator[] {
  if (value === undefined) return [];
  const absent: PropertyDecorator = (target, property) =>
    void planOf(target.constructor).optional.add(String(property));
  return [DescribedBy({ default: value }), absent];
}

function rule(name: string, demand: string, accepts: (value: unknown) => boolean): PropertyDecorator {
  return ValidateBy({
    name,
    validator: {
      validate: accepts,
      defaultMessage: buildMessage((_, args?: ValidationArguments) =>
        args?.value === undefined ? 'is required' : demand,
      ),
    },
  });
}

function ConvertedBy(convert: (value: unknown) => unknown): PropertyDecorator {
  return (target, property) =>
    void planOf(target.constructor).conversions.set(String(property), (value) => convert(value) ?? value);
}

function checkedItems(check: { readonly of: (item: unknown) => boolean; readonly what: string }): PropertyDecorator {
  return (target, property) => void planOf(target.constructor).items.set(String(property), check);
}

function both(...decorators: readonly PropertyDecorator[]): PropertyDecorator {
  return (target, property) => {
    for (const decorate of decorators) decorate(target, property);
  };
}

/** The number that a decimal spelling without sign, leading zeros or fraction stands for; any other value unchanged. */
function spelledInteger(value: unknown): unknown {
  return typeof value === 'string' && /^(0|[1-9][0-9]{0,15})$/.test(value) ? Number(value) : value;
}
