import { isJsonObject, ok, pointerTo, refuse, type Issue, type JsonObject, type Result } from '@app/kernel';
import { canBeNull, converts, type DtoClass, type Schema } from '@app/schema';
import { getMetadataStorage, validateSync } from 'class-validator';
import { convert, issuesOf, plansOf } from './dto';

/** A longer name of a member is not repeated in an issue. */
const namedKeyLengthMax = 256;

/** A member of a DTO class; one that only class-validator's own decorators describe has neither schema nor DTO. */
interface DtoMember {
  readonly schema: Schema | null;
  readonly nested: DtoClass | null;
  /** Whether null means absence. */
  readonly nullIsAbsence: boolean;
  readonly convert: (value: unknown) => unknown;
}

/**
 * Checks a parsed body or query against a DTO class and creates the DTO, or returns an issue with a JSON pointer for every part that
 * failed.
 *
 * Unknown members are refused, absent ones take their default, `undefined` counts as `{}`, and null counts as absence if a member may be
 * absent and cannot be null (docs/decisions/conventions.md, "Bodies"). Values that a member's schema leaves unchanged are kept by
 * reference.
 */
export function validateInto<Dto extends object>(dto: DtoClass<Dto>, value: unknown): Result<Dto> {
  const given = value === undefined ? {} : value;
  if (!isJsonObject(given))
    return refuse({ kind: 'invalid_input', issues: [{ path: '', message: 'must be an object' }] });
  const issues: Issue[] = [];
  const made = make(dto, given, '', issues);
  return issues.length === 0 ? ok(made) : refuse({ kind: 'invalid_input', issues });
}

function make<Dto extends object>(dto: DtoClass<Dto>, given: JsonObject, at: string, issues: Issue[]): Dto {
  const members = membersOf(dto);
  for (const name of Object.keys(given)) if (!members.has(name)) issues.push(unknownMember(at, name));
  const made = new dto();
  if (members.size === 0) return made;
  for (const [name, { nullIsAbsence, convert }] of members) {
    const sent = Object.hasOwn(given, name) ? given[name] : undefined;
    const converted = convert(sent === null && nullIsAbsence ? undefined : sent);
    if (converted !== undefined) Reflect.set(made, name, converted);
  }
  issues.push(...issuesIn(made, members, at));
  for (const [name, { nested }] of members) {
    const value: unknown = Reflect.get(made, name);
    if (nested !== null && isJsonObject(value))
      Reflect.set(made, name, make(nested, value, at + pointerTo(name), issues));
  }
  return made;
}

/** class-validator's findings, with the pointers of the issues within a member. */
function issuesIn(made: object, members: ReadonlyMap<string, DtoMember>, at: string): readonly Issue[] {
  const errors = validateSync(made, { forbidUnknownValues: false, stopAtFirstError: true });
  return errors.flatMap(({ property, value, constraints = {} }) => {
    const path = at + pointerTo(property);
    const schema = members.get(property)?.schema ?? null;
    if (schema !== null) return issuesOf(schema, value, path);
    return [{ path, message: Object.values(constraints)[0] ?? 'is not valid' }];
  });
}

const knownMembers = new WeakMap<object, ReadonlyMap<string, DtoMember>>();

function membersOf(dto: DtoClass): ReadonlyMap<string, DtoMember> {
  const known = knownMembers.get(dto);
  if (known !== undefined) return known;
  const rules = getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false);
  const members = new Map(rules.map(({ propertyName }) => [propertyName, memberOf(dto, propertyName)]));
  knownMembers.set(dto, members);
  return members;
}

function memberOf(dto: DtoClass, name: string): DtoMember {
  const plans = plansOf(dto);
  const schema = plans.map(({ schemas }) => schemas.get(name)).find(Boolean) ?? null;
  const nested = plans.map((plan) => plan.nested.get(name)).find(Boolean) ?? null;
  const spelling = plans.map(({ spellings }) => spellings.get(name)).find(Boolean);
  return {
    schema,
    nested: nested === null ? null : nested(),
    nullIsAbsence: plans.some(({ optional }) => optional.has(name)) && (schema === null || !canBeNull(schema)),
    convert: spelling ?? (schema === null || !converts(schema) ? (value) => value : (value) => convert(schema, value)),
  };
}

function unknownMember(at: string, name: string): Issue {
  if (name.length > namedKeyLengthMax) return { path: at, message: 'has an unknown member with an overlong name' };
  return { path: at + pointerTo(name), message: 'is not known' };
}
