import type { JsonObject } from './json';

declare const closed: unique symbol;

/** Words of a person as they are stored: a ciphertext, which only the codec of stored events opens. */
export interface Sealed {
  readonly sealed: string;
  /** Never set. It keeps this type apart from any JSON of the same form. */
  readonly [closed]?: true;
}

/** Takes the place of a person's words whose key was destroyed (docs/decisions/personal-data.md). */
export interface Erased extends JsonObject {
  readonly erased: true;
}

/**
 * Words of a person: open, or closed because they are still sealed or were erased. Members of stored events that have this type are sealed
 * in the store.
 */
export type Personal<Value> = Value | Sealed | Erased;

/** Members of an object, none of them closed. */
export type WithOpenWords<Value> = { readonly [Member in keyof Value]: Exclude<Value[Member], Sealed | Erased> };

export const erased: Erased = { erased: true };

/** Whether the value is a ciphertext. JSON that a person wrote may have the same form, so what was opened is never asked. */
export function isSealed(value: unknown): value is Sealed {
  return hasOnly(value, 'sealed', (inner) => typeof inner === 'string');
}

/** Whether the value says that the words are gone. */
export function isErased(value: unknown): value is Erased {
  return hasOnly(value, 'erased', (inner) => inner === true);
}

/** The words, or `instead` where they are closed. */
export function openOr<Value, Other>(personal: Personal<Value>, instead: Other): Value | Other {
  return isSealed(personal) || isErased(personal) ? instead : personal;
}

/**
 * As `openOr`, for words that were opened and may be any JSON: what a person or a model wrote may have the form of a closed value, and is
 * open all the same. Only the very value that opening puts in the place of words means that they are gone.
 */
export function openedOr<Value, Other>(opened: Personal<Value>, instead: Other): Value | Other {
  // Reason for the assertion: what was opened is not sealed, and erased words are this one value.
  return opened === erased ? instead : (opened as Value);
}

/** The words as an answer shows them: what is not open is shown as erased, so that no ciphertext leaves the service. */
export function shown<Value>(personal: Personal<Value>): Value | Erased {
  return openOr(personal, erased);
}

function hasOnly(value: unknown, member: string, fits: (inner: unknown) => boolean): boolean {
  if (typeof value !== 'object' || value === null || !(member in value)) return false;
  return fits(Reflect.get(value, member)) && Object.keys(value).length === 1;
}

/** Whether a member of a stored event has words of a person, which are sealed, or is stored as it is. */
export type Mark = 'personal' | 'clear';

/** The marks of an event's members, by name; those of an object of which only some members are personal are nested. */
export interface Marks {
  readonly [member: string]: Mark | Marks;
}

/**
 * The marks of every member of every event: a member without one does not compile, nor does one whose mark is not that of its type
 * (docs/decisions/personal-data.md).
 */
export type MarksOf<Event extends { readonly type: string }> = {
  readonly [Type in Event['type']]: MarksWithin<OfType<Event, Type>, 'type' | 'at'>;
};

type OfType<Event extends { readonly type: string }, Type extends string> = Event extends unknown
  ? Type extends Event['type']
    ? Event
    : never
  : never;

type MarksWithin<Value, Left = never> = {
  readonly [Member in Exclude<NamesOf<Value>, Left>]: MarkOf<MemberOf<Value, Member>>;
};

type MarkOf<Value> = Sealed extends Value
  ? 'personal'
  : true extends HasPersonal<Value>
    ? MarksWithin<Extract<Value, object>>
    : 'clear';

/** True where an object has a personal member. */
type HasPersonal<Value> = Value extends readonly unknown[] | string | number | boolean | null | undefined
  ? false
  : { [Member in keyof Value]-?: Sealed extends Value[Member] ? true : false }[keyof Value];

type NamesOf<Value> = Value extends unknown ? keyof Value : never;
type MemberOf<Value, Name> = Value extends unknown ? (Name extends keyof Value ? Value[Name] : never) : never;

/** The paths of the personal members among some marks, such as `title` and `definition/name`. */
export function personalPaths(marks: Marks): string[] {
  return Object.entries(marks).flatMap(([name, mark]) => {
    if (mark === 'clear') return [];
    return mark === 'personal' ? [name] : personalPaths(mark).map((path) => `${name}/${path}`);
  });
}
