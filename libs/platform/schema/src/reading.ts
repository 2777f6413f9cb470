import { ok, pointerTo, refuse, type Issue, type Result } from '@app/kernel';
import type { TSchema } from '@sinclair/typebox';

/** Maximum number of issues for one value, which may come from a model. */
const issuesMax = 32;

/** A part of the input. Its pointer is only built for an issue. */
export interface Part {
  readonly value: unknown;
  readonly within: Part | null;
  /** The member's name or the item's index; for the root, its JSON pointer in a larger input. */
  readonly token: string | number;
  readonly input: Input;
}

/** State shared by all parts of one input. */
interface Input {
  readonly issues: Issue[];
  /** The present depth of reading in each recursive value, by its name. */
  readonly levels: Map<string, Level>;
}

export interface Level {
  readonly root: Part;
  depth: number;
  nodes: number;
}

/** Reads a part: returns the value as it is kept, or undefined once an issue is recorded. */
export type Reader = (part: Part) => unknown;

const reading = Symbol('reading');
const converting = Symbol('converting');

/** The schema with its reader. @param converts whether the reader may return a different value from the given one */
export function withReader<Described extends TSchema>(
  schema: Described,
  reader: Reader,
  { converts }: { readonly converts: boolean },
): Described {
  return { ...schema, [reading]: reader, [converting]: converts };
}

/** @throws Error for a schema that is used only in answers and cannot be read */
export function readerOf(schema: TSchema): Reader {
  const reader: unknown = Reflect.get(schema, reading);
  if (typeof reader !== 'function') throw new Error('this schema describes answers: it cannot be read');
  // Reason for the assertion: only `withReader` sets this key.
  return reader as Reader;
}

/** Whether reading may change a value: ids to lower case, instants to UTC, objects to ones without nulls. */
export function converts(schema: TSchema): boolean {
  return Reflect.get(schema, converting) === true;
}

/**
 * Reads a value from JSON, strictly: only what the schema describes. Ids become lower case and instants UTC; optional members that are null
 * are left out (docs/decisions/conventions.md, "Bodies").
 *
 * @param path position of the value in a larger input, as a JSON pointer
 * @returns the value, or `invalid_input` with up to 32 issues
 */
export function read<Described extends TSchema>(
  schema: Described,
  value: unknown,
  path = '',
): Result<Described['static']> {
  const issues: Issue[] = [];
  const found = readerOf(schema)({ value, within: null, token: path, input: { issues, levels: new Map() } });
  // A reader may record an issue and continue, to report the next one as well.
  return issues.length === 0 ? ok(found) : refuse({ kind: 'invalid_input', issues });
}

/** A member of an object, or an item of a list. */
export function inside(part: Part, token: string | number, value: unknown): Part {
  return { value, within: part, token, input: part.input };
}

/**
 * Records an issue of a part, unless that part already has one; after 32 issues nothing is recorded. @param below a pointer into the part
 */
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
