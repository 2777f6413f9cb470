import type { Static, TSchema } from '@sinclair/typebox';
import type { JsonValue } from '@app/kernel';

/**
 * Ties a schema to a type that is declared elsewhere, for instance in the domain: `exactly<Usage>()(shape('Usage', …))` compiles only if
 * the schema's values are the type's and the type's are the schema's, member by member. Ids of any brand count as texts.
 */
export function exactly<Value>() {
  return <Described extends TSchema>(schema: Described & Tied<Value, Static<Described>>): Described => schema;
}

/**
 * `unknown`, which changes nothing, if both are the same; otherwise a type that no schema has, named so that the compiler's error shows the
 * difference.
 */
type Tied<Value, Described> =
  Same<Unbranded<Value>, Unbranded<Described>> extends true
    ? unknown
    : { readonly differs: readonly [Unbranded<Value>, Unbranded<Described>] };

type Same<One, Other> = [One] extends [Other] ? ([Other] extends [One] ? true : false) : false;

type Unbranded<Value> = [JsonValue] extends [Value] ? Value : UnbrandedPart<Value>;

/** Every member is present, so that optional ones count as well. */
type UnbrandedPart<Value> = Value extends { readonly __brand: string }
  ? string
  : Value extends string | number | boolean | null
    ? Value
    : Value extends readonly (infer Item)[]
      ? readonly Unbranded<Item>[]
      : {
          readonly [Member in keyof Value]-?: Record<never, never> extends Pick<Value, Member>
            ? { readonly mayBeAbsent: Unbranded<Value[Member]> }
            : Unbranded<Value[Member]>;
        };
