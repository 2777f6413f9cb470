import { ok, pointerTo, refuse, type Issue, type Result } from '@app/kernel';
import type { TSchema } from '@sinclair/typebox';

/** Most issues reported for one value, which may come from a model. */
const issuesMax = 32;

/** A part of the input. Its pointer is spelled only where something is wrong. */
export interface Part {
  readonly value: unknown;
  readonly within: Part | null;
  /** The member's name or the item's index; of the root, its JSON pointer in a larger input. */
  readonly token: string | number;
  readonly input: Input;
}

/** What all parts of one input share. */
interface Input {
  readonly issues: Issue[];
  /** How deep in a recursive value the reading is, by its name. */
  readonly levels: Map<string, Level>;
}

export interface Level {
  readonly root: Part;
  depth: number;
  nodes: number;
}

/** Reads a part: the value as it is kept, or undefined once an issue is noted. */
export type Reader = (part: Part) => unknown;

const reading = Symbol('reading');
const converting = Symbol('converting');

/** The schema with its reader. @param converts whether the reader may make another value of what it is given */
export function withReader<Described extends TSchema>(
  schema: Described,
  reader: Reader,
  { converts }: { readonly converts: boolean },
): Described {
  return { ...schema, [reading]: reader, [converting]: converts };
}

/** @throws Error for a schema that only answers have, which nothing reads */
export function readerOf(schema: TSchema): Reader {
  const reader: unknown = Reflect.get(schema, reading);
  if (typeof reader !== 'function') throw new Error('this schema describes answers: it cannot be read');
  // Reason for the assertion: only `withReader` sets this key.
  return reader as Reader;
}

/** Whether what is read of a value may be another value: an id in lower case, an instant in UTC, an object without nulls. */
export function converts(schema: TSchema): boolean {
  return Reflect.get(schema, converting) === true;
}

/**
 * Reads a value out of JSON, strictly: nothing but what the schema describes. Ids become lower case and instants UTC; optional members
 * that are null are left out (docs/decisions/conventions.md, "Bodies").
 *
 * @param path where the value is in a larger input, as a JSON pointer
 * @returns the value, or `invalid_input` with up to 32 issues
 */
export function read<Described extends TSchema>(
  schema: Described,
  value: unknown,
  path = '',
): Result<Described['static']> {
  const issues: Issue[] = [];
  const found = readerOf(schema)({ value, within: null, token: path, input: { issues, levels: new Map() } });
  // A reader may note an issue and go on, to tell of the next one.
  return issues.length === 0 ? ok(found) : refuse({ kind: 'invalid_input', issues });
}

/** A member of an object, or an item of a list. */
export function inside(part: Part, token: string | number, value: unknown): Part {
  return { value, within: part, token, input: part.input };
}

/** Notes what is wrong with a part, unless something was before; beyond 32 issues nothing is noted. @param below a pointer into the part */
export function wrong(part: Part, message: string, below = ''): undefined {
  const { issues } = part.input;
  if (issues.length >= issuesMax) return undefined;
  const path = pathOf(part) + below;
  if (!issues.some((issue) => issue.path === path)) issues.push({ path, message });
  return undefined;
}

function pathOf({ within, token }: Part): string {
  return within === null ? String(token) : pathOf(within) + pointerTo(token);
}
