import { isJsonObject, pointerTo, type JsonValue } from '@app/kernel';

/** A difference between two values; a member that is missing on one side is absent here. */
export interface JsonDifference {
  /** A JSON pointer. */
  readonly path: string;
  readonly before?: JsonValue;
  readonly after?: JsonValue;
}

/** The differences between two values, within objects and lists that both have: in the order of the earlier value, then of the later. */
export function jsonDifferences(before: JsonValue, after: JsonValue): JsonDifference[] {
  return differencesAt([], before, after);
}

type Path = readonly (string | number)[];

function differencesAt(path: Path, before: JsonValue | undefined, after: JsonValue | undefined): JsonDifference[] {
  const [old, young] = [membersIn(before), membersIn(after)];
  if (old !== null && young !== null && Array.isArray(before) === Array.isArray(after)) {
    const names = new Set([...old.keys(), ...young.keys()]);
    return [...names].flatMap((name) => differencesAt([...path, name], old.get(name), young.get(name)));
  }
  if (before === after) return [];
  return [
    {
      path: pointerTo(...path),
      ...(before !== undefined && { before }),
      ...(after !== undefined && { after }),
    },
  ];
}

/** The members of an object, or the items of a list; null for any other value. */
function membersIn(value: JsonValue | undefined): ReadonlyMap<string | number, JsonValue> | null {
  // Reason for the assertion: a list of JSON holds JSON.
  if (Array.isArray(value)) return new Map((value as readonly JsonValue[]).entries());
  return isJsonObject(value) ? new Map(Object.entries(value)) : null;
}
