import { isJsonObject, pointerTo, type JsonObject } from './json';
import type { Issue } from './refusal';

/** What is read may come from a model: what is wrong with it is told up to here. */
const issuesMax = 32;
/** A member's name longer than this is not repeated in an issue. */
const namedMemberLengthMax = 256;

/** A part of JSON input, its JSON pointer, and where issues go. Whoever reads one answers null once an issue is noted. */
export interface Part {
  readonly value: unknown;
  readonly path: string;
  readonly issues: Issue[];
}

/** The whole input. */
export function rootPart(value: unknown): Part {
  return { value, path: '', issues: [] };
}

/** A member of an object, or an item of a list. */
export function inside({ path, issues }: Part, token: string | number, value: unknown): Part {
  return { value, path: path + pointerTo(token), issues };
}

/** Notes what is wrong with a part, unless something was before; beyond 32 issues it is only answered. */
export function wrong({ path, issues }: Part, message: string): null {
  const noted = issues.some((issue) => issue.path === path);
  if (!noted && issues.length < issuesMax) issues.push({ path, message });
  return null;
}

/**
 * The members of an object that has all of the required ones and no other but the optional ones; what is missing, or not known, is
 * noted. A required one that is missing has no value. An optional one that is absent, or null, which is how serializers write absence,
 * is no part (docs/decisions/conventions.md, "Bodies").
 */
export function membersOf<Required extends string, Optional extends string = never>(
  part: Part,
  required: readonly Required[],
  optional: readonly Optional[] = [],
): (Record<Required, Part> & Partial<Record<Optional, Part>>) | null {
  const given = objectIn(part);
  if (given === null) return null;
  const names: readonly string[] = [...required, ...optional];
  for (const name of Object.keys(given)) if (!names.includes(name)) noteUnknown(part, name);
  const present = optional.filter((name) => isGiven(given, name));
  const members = [...required, ...present].map((name) => [name, memberOf(part, given, name)] as const);
  // Reason for the assertion: one entry was made for each of the names.
  return Object.fromEntries(members) as Record<Required, Part> & Partial<Record<Optional, Part>>;
}

/** Whether an object has a member whose null means absence: one that is there, and not null. */
export function isGiven(given: JsonObject, name: string): boolean {
  return Object.hasOwn(given, name) && given[name] !== null;
}

function memberOf(part: Part, given: JsonObject, name: string): Part {
  const present = Object.hasOwn(given, name);
  const member = inside(part, name, present ? given[name] : undefined);
  if (!present) wrong(member, 'is required');
  return member;
}

/** The member that says which variant an object is. */
export function kindOf<Kind extends string>(part: Part, kinds: readonly Kind[]): Kind | null {
  const given = objectIn(part);
  if (given === null) return null;
  return oneOf(memberOf(part, given, 'kind'), kinds);
}

/** One of a few texts. */
export function oneOf<Text extends string>(part: Part, texts: readonly Text[]): Text | null {
  return texts.find((text) => text === part.value) ?? wrong(part, `must be ${texts.join(' or ')}`);
}

/** A value of one form. */
export function check<Value>(part: Part, accepts: (value: unknown) => value is Value, rule: string): Value | null {
  return accepts(part.value) ? part.value : wrong(part, rule);
}

/** An object in the sense of JSON. */
export function objectIn(part: Part): JsonObject | null {
  return isJsonObject(part.value) ? part.value : wrong(part, 'must be an object');
}

function noteUnknown(part: Part, name: string): void {
  if (name.length > namedMemberLengthMax) wrong(part, 'has an unknown member with an overlong name');
  else wrong(inside(part, name, undefined), 'is not known');
}
