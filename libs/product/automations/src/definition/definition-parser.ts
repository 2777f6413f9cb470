import { parseContract, type Contract } from '@app/consent';
import { validateInto } from '@app/http';
import {
  check,
  codePointLength,
  inside,
  instantIn,
  instantRule,
  kindOf,
  membersOf,
  objectIn,
  ok,
  oneOf,
  refuse,
  rootPart,
  unreachable,
  wrong,
  type Instant,
  type JsonObject,
  type Part,
  type Result,
} from '@app/kernel';
import { ProfileDto } from '@app/runs';
import type { AutomationDefinition, FiringPolicy, Schedule, Wake } from './automation-definition';
import { parseCondition } from '../condition/condition-parser';

/** Bounds of a definition (docs/decisions/automations.md; docs/choices.md). */
export const definitionBounds = {
  nameLengthMax: 120,
  promptLengthMax: 8192,
  /** Of a cron expression. */
  expressionLengthMax: 256,
  timezoneLengthMax: 64,
  everySecondsMin: 60,
  everySecondsMax: 2_678_400,
  typesMax: 16,
  cooldownSecondsMax: 2_678_400,
  retrySecondsMax: 86_400,
  retrySecondsDefault: 900,
  occurrencesMax: 1_000_000,
} as const;

/** As an inbound event spells its type (specification, "Inbound event"). */
export const typeForm = /^[A-Za-z][A-Za-z0-9_.:-]{0,79}$/;
const typeRule = 'must be a letter and up to 79 letters, digits, _ . : or -';
const typesRule = `must be a list of 1 to ${definitionBounds.typesMax} items`;

/**
 * Reads a definition out of JSON, strictly: what a schema can say about it. Whether it can run as written is `checkDefinition`'s.
 * The answer is what is stored and shown: `retryForSeconds` is filled in, and instants are in UTC with
 * milliseconds.
 *
 * @returns the definition, or `invalid_input` with up to 32 issues, whose pointers are relative to the definition
 */
export function parseDefinition(value: unknown): Result<AutomationDefinition> {
  const root = rootPart(value);
  const definition = definitionIn(root);
  // A reader may note an issue and go on, to tell of the next one.
  if (definition !== null && root.issues.length === 0) return ok(definition);
  return refuse({ kind: 'invalid_input', issues: root.issues });
}

function definitionIn(part: Part): AutomationDefinition | null {
  const required = ['name', 'prompt', 'conversation', 'wake', 'condition', 'firing'] as const;
  const members = membersOf(part, required, ['profile', 'contract']);
  if (members === null) return null;
  const name = textIn(members.name, definitionBounds.nameLengthMax);
  const prompt = textIn(members.prompt, definitionBounds.promptLengthMax);
  const profile = members.profile && profileIn(members.profile);
  const conversation = oneOf(members.conversation, ['new', 'same']);
  const wake = wakeIn(members.wake);
  const condition = members.condition.value === null ? null : parseCondition(members.condition);
  const firing = firingIn(members.firing);
  const contract = members.contract && contractIn(members.contract);
  if (name === null || prompt === null || profile === null || conversation === null) return null;
  if (wake === null || firing === null || contract === null) return null;
  return {
    ...{ name, prompt, ...(profile && { profile }), conversation, wake, condition, firing },
    ...(contract && { contract }),
  };
}

function wakeIn(part: Part): Wake | null {
  const kind = kindOf(part, ['schedule', 'event']);
  switch (kind) {
    case 'schedule': {
      const members = membersOf(part, ['kind', 'schedule']);
      const schedule = members && scheduleIn(members.schedule);
      return schedule && { kind, schedule };
    }
    case 'event': {
      const members = membersOf(part, ['kind', 'types']);
      const types = members && typesIn(members.types);
      return types && { kind, types };
    }
    case null:
      return null;
    default:
      return unreachable(kind);
  }
}

function scheduleIn(part: Part): Schedule | null {
  const kind = kindOf(part, ['cron', 'every', 'once']);
  switch (kind) {
    case 'cron': {
      const members = membersOf(part, ['kind', 'expression', 'timezone']);
      if (members === null) return null;
      const expression = textIn(members.expression, definitionBounds.expressionLengthMax);
      const timezone = textIn(members.timezone, definitionBounds.timezoneLengthMax);
      return expression === null || timezone === null ? null : { kind, expression, timezone };
    }
    case 'every': {
      const members = membersOf(part, ['kind', 'seconds']);
      const seconds =
        members && wholeIn(members.seconds, definitionBounds.everySecondsMin, definitionBounds.everySecondsMax);
      return seconds === null ? null : { kind, seconds };
    }
    case 'once': {
      const members = membersOf(part, ['kind', 'at']);
      const at = members && readInstant(members.at);
      return at === null ? null : { kind, at };
    }
    case null:
      return null;
    default:
      return unreachable(kind);
  }
}

function typesIn(part: Part): readonly string[] | null {
  const { value } = part;
  if (!Array.isArray(value) || value.length < 1 || value.length > definitionBounds.typesMax)
    return wrong(part, typesRule);
  const types = value.map((item: unknown, index) => check(inside(part, index, item), isType, typeRule));
  const read = types.filter((type) => type !== null);
  return read.length === types.length ? read : null;
}

function firingIn(part: Part): FiringPolicy | null {
  const optional = ['retryForSeconds', 'maxOccurrences', 'endAt'] as const;
  const members = membersOf(part, ['trigger', 'cooldownSeconds', 'overlap'], optional);
  if (members === null) return null;
  const trigger = oneOf(members.trigger, ['match', 'edge', 'once']);
  const cooldownSeconds = wholeIn(members.cooldownSeconds, 0, definitionBounds.cooldownSecondsMax);
  const overlap = oneOf(members.overlap, ['skip', 'coalesce', 'queue']);
  const retry = members.retryForSeconds;
  const retryForSeconds = retry
    ? wholeIn(retry, 0, definitionBounds.retrySecondsMax)
    : definitionBounds.retrySecondsDefault;
  const maxOccurrences = members.maxOccurrences && wholeIn(members.maxOccurrences, 1, definitionBounds.occurrencesMax);
  const endAt = members.endAt && readInstant(members.endAt);
  if (trigger === null || cooldownSeconds === null || overlap === null || retryForSeconds === null) return null;
  if (maxOccurrences === null || endAt === null) return null;
  return {
    ...{ trigger, cooldownSeconds, overlap, retryForSeconds },
    ...(maxOccurrences !== undefined && { maxOccurrences }),
    ...(endAt !== undefined && { endAt }),
  };
}

/** As in `runs.start`; kept as it was given, a member that is null as what it means, absent. */
function profileIn(part: Part): JsonObject | null {
  const given = objectIn(part);
  if (given === null || adopt(part, validateInto(ProfileDto, given)) === null) return null;
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
}

function contractIn(part: Part): Contract | null {
  return adopt(part, parseContract(part.value, { bounds: 'required' }));
}

/** What another reader made of a part; its issues point into the part. */
function adopt<Value>(part: Part, result: Result<Value>): Value | null {
  if (result.ok) return result.value;
  if (result.refusal.kind !== 'invalid_input') return wrong(part, 'is not valid');
  for (const { path, message } of result.refusal.issues) wrong({ ...part, path: part.path + path }, message);
  return null;
}

function textIn(part: Part, lengthMax: number): string | null {
  const isText = (value: unknown): value is string => {
    if (typeof value !== 'string' || value.includes('\0') || /\p{Surrogate}/u.test(value)) return false;
    const length = codePointLength(value);
    return length >= 1 && length <= lengthMax;
  };
  return check(part, isText, `must be a text of 1 to ${lengthMax} characters`);
}

function wholeIn(part: Part, min: number, max: number): number | null {
  const isWhole = (value: unknown): value is number =>
    typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max;
  return check(part, isWhole, `must be a whole number from ${min} to ${max}`);
}

function readInstant(part: Part): Instant | null {
  return instantIn(part.value) ?? wrong(part, instantRule);
}

function isType(value: unknown): value is string {
  return typeof value === 'string' && typeForm.test(value);
}
