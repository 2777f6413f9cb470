import { ok, pointerTo, refuse, type Issue, type Result } from '@app/kernel';
import type { DtoClass } from '@app/schema';
import { getMetadataStorage, validateSync } from 'class-validator';
import { isPlainObject, planOf, plansOf } from './dto';

/** A member's name longer than this is not repeated in an issue. */
const namedKeyLengthMax = 256;

/**
 * Checks a parsed body or query against a DTO class and makes the DTO, or names every part that failed by its JSON pointer.
 *
 * Unknown members are refused, absent ones take their default, `undefined` counts as `{}`, and null counts as absence where a member
 * may be absent and cannot be null (docs/decisions/conventions.md, "Bodies"). Values that no nested DTO
 * describes are kept by reference.
 */
export function validateInto<Dto extends object>(dto: DtoClass<Dto>, value: unknown): Result<Dto> {
  const given = value === undefined ? {} : value;
  if (!isPlainObject(given))
    return refuse({ kind: 'invalid_input', issues: [{ path: '', message: 'must be an object' }] });
  const issues: Issue[] = [];
  const made = make(dto, given, '', issues);
  return issues.length === 0 ? ok(made) : refuse({ kind: 'invalid_input', issues });
}

function make<Dto extends object>(
  dto: DtoClass<Dto>,
  given: Record<string, unknown>,
  at: string,
  issues: Issue[],
): Dto {
  const plan = planOf(dto);
  const known = knownMembers(dto);
  for (const name of Object.keys(given)) if (!known.has(name)) issues.push(unknownMember(at, name));

  const made = new dto();
  if (known.size === 0) return made;
  for (const name of known) {
    const sent = Object.hasOwn(given, name) ? given[name] : undefined;
    const value = sent === null && nullIsAbsence(dto, name) ? undefined : sent;
    const convert = plan.conversions.get(name);
    const converted = convert === undefined ? value : convert(value);
    if (converted !== undefined) Object.assign(made, { [name]: converted });
  }
  for (const error of validateSync(made, { forbidUnknownValues: false, stopAtFirstError: true })) {
    const message = Object.values(error.constraints ?? {})[0] ?? 'is not valid';
    issues.push({ path: at + pointerTo(error.property), message });
  }
  goDeeper(dto, made, at, issues);
  return made;
}

function nullIsAbsence(dto: DtoClass, name: string): boolean {
  const plans = plansOf(dto);
  const schema = plans.map(({ schemas }) => schemas.get(name)).find(Boolean);
  return plans.some(({ optional }) => optional.has(name)) && !canBeNull(schema);
}

function canBeNull(schema: unknown): boolean {
  if (!isPlainObject(schema)) return false;
  const { type, anyOf } = schema;
  return type === 'null' || isListWith(type, (one) => one === 'null') || isListWith(anyOf, canBeNull);
}

function isListWith(value: unknown, isWanted: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.some(isWanted);
}

/** Nested objects become DTOs of their own, and list items are checked one by one, so that each issue has its own pointer. */
function goDeeper(dto: DtoClass, made: object, at: string, issues: Issue[]): void {
  const plan = planOf(dto);
  for (const [name, nested] of plan.nested) {
    const value: unknown = Reflect.get(made, name);
    if (isPlainObject(value)) Reflect.set(made, name, make(nested(), value, at + pointerTo(name), issues));
  }
  for (const [name, check] of plan.items) {
    const value: unknown = Reflect.get(made, name);
    if (!Array.isArray(value)) continue;
    value.forEach((item, index) => {
      if (!check.of(item)) issues.push({ path: at + pointerTo(name, index), message: `must be ${check.what}` });
    });
  }
}

const membersOf = new WeakMap<object, ReadonlySet<string>>();

function knownMembers(dto: DtoClass): ReadonlySet<string> {
  const known = membersOf.get(dto);
  if (known !== undefined) return known;
  const rules = getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false);
  const members = new Set(rules.map((rule) => rule.propertyName));
  membersOf.set(dto, members);
  return members;
}

function unknownMember(at: string, name: string): Issue {
  if (name.length > namedKeyLengthMax) return { path: at, message: 'has an unknown member with an overlong name' };
  return { path: at + pointerTo(name), message: 'is not known' };
}
