import { Type, type TProperties, type TSchema, type TUnsafe } from '@sinclair/typebox';
import type { Instant, JsonObject, JsonValue, Mark, MarksOf, WithOpenWords } from '@app/kernel';
import { markOf, type Marked } from './marks';
import { shape, type Members } from './objects';
import { constant, instant, type Schema, type Shaped } from './schema';

/** An event that is published as it is stored: its public members, and those that only the service reads. */
export interface DescribedEvent<Type extends string = string, Payload extends TSchema = Schema, Private = unknown> {
  readonly type: Type;
  /** The schema of the public members, named after the type: `RunStarted` for `run.started`. */
  readonly payload: Payload;
  /** Members kept in the event's metadata, because everything in a payload is public. */
  readonly privateMembers: readonly string[];
  /** Marks each member, public or private, as `personal`, which is sealed in the store, or `clear`. */
  readonly members: Readonly<Record<string, Mark>>;
  /** The public members of a real event, without `type` and `at`. */
  readonly example: JsonObject;
  /** Never set; it carries the type of the private members. */
  readonly ofPrivate?: Private;
}

/** The type of the events of a description. */
export type EventOf<Described> =
  Described extends DescribedEvent<infer Type, infer Payload, infer Private>
    ? Flat<{ readonly type: Type; readonly at: Instant } & Omit<Shaped<Payload>, 'type' | 'at'> & Private>
    : never;

type Flat<Value> = { readonly [Member in keyof Value]: Value[Member] };

/** A value as a literal spells it: ids and instants are plain texts. */
type Plain<Value> = [JsonValue] extends [Value] ? JsonValue : PlainPart<Value>;

type PlainPart<Value> = Value extends { readonly __brand: string }
  ? string
  : Value extends readonly (infer Item)[]
    ? readonly Plain<Item>[]
    : Value extends object
      ? { readonly [Member in keyof Value]: Plain<Value[Member]> }
      : Value;

type Payload<Type extends string, Public extends TProperties> = TUnsafe<
  Flat<{ readonly type: Type; readonly at: string } & Members<Public>>
>;

/** Members, each of which says whether it is personal or clear. */
type MarkedMembers = Readonly<Record<string, Marked>>;

/** The members of an event; the example has the public ones. */
export interface EventMembers<Public extends MarkedMembers, Private extends MarkedMembers> {
  readonly public: Public;
  readonly private?: Private;
  readonly example: Plain<WithOpenWords<Members<Public>>>;
}

/**
 * Describes an event once: its type, the schema of its payload, the members that stay private, and an example.
 * @param summary the event's meaning in one sentence, for the documents
 */
export function event<
  const Type extends string,
  Public extends MarkedMembers,
  Private extends MarkedMembers = Record<never, never>,
>(
  type: Type,
  summary: string,
  members: EventMembers<Public, Private>,
): DescribedEvent<Type, Payload<Type, Public>, Members<Private>> {
  const name = type.replaceAll(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const at = instant({ description: 'By the service clock, when it was recorded' });
  const payload = shape(name, { type: constant(type), at, ...members.public }, { description: summary });
  return {
    type,
    // Reason for the assertion: the compiler does not see through the spread of a type parameter.
    payload: payload as unknown as Payload<Type, Public>,
    privateMembers: Object.keys(members.private ?? {}),
    members: Object.fromEntries(
      Object.entries({ ...members.public, ...members.private }).map(([name, member]) => [name, markOf(member)]),
    ),
    // Reason for the assertion: a payload is JSON.
    example: members.example as JsonObject,
  };
}

/** A member that no document describes: only its type counts. */
export function internal<Value>(): TUnsafe<Value> {
  return Type.Unsafe<Value>({});
}

interface StoredMembers<Events extends readonly DescribedEvent[]> {
  readonly privateMembers: { readonly [Name in Events[number]['type']]?: readonly string[] };
  readonly members: MarksOf<EventOf<Events[number]>>;
}

/** The private members of each event, and the marks of all, in the form of a kind of stream. */
export function storedMembersOf<const Events extends readonly DescribedEvent[]>(events: Events): StoredMembers<Events> {
  const hidden = events.filter(({ privateMembers }) => privateMembers.length > 0);
  const privateMembers = Object.fromEntries(hidden.map((one) => [one.type, one.privateMembers]));
  const members = Object.fromEntries(events.map((one) => [one.type, one.members]));
  // Reason for the assertion: `fromEntries` loses the names, which are those of the events.
  return { privateMembers, members } as unknown as StoredMembers<Events>;
}
