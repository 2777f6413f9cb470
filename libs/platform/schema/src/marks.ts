import { Type, type Static, type TSchema, type TUnsafe } from '@sinclair/typebox';
import type { Erased, Mark, Personal } from '@app/kernel';
import { dtoOf, nameOf } from './names';
import { shape } from './objects';
import { constant } from './schema';

const mark = Symbol('mark');

/** A member of a stored event, with its mark: whether it holds words of a person, which are sealed, or is clear. */
export type Marked<Described extends TSchema = TSchema> = Described & { readonly [mark]: Mark };

/** In place of words whose key was destroyed, in answers and journals. */
const ErasedShape = shape(
  'Erased',
  { erased: constant(true) },
  { description: "In place of a person's words that were erased, or that were closed by the deployment's retention" },
);

/**
 * A member with words of a person: it is sealed in the store, and readers get `{"erased": true}` in its place once its key is destroyed.
 * The schema says so with `x-personal`.
 */
export function personal<Described extends TSchema>(
  described: Described,
): Marked<TUnsafe<Personal<Static<Described>>>> {
  return { ...Type.Unsafe<Personal<Static<Described>>>(wordsOrErased(described)), [mark]: 'personal' };
}

/** A member that is stored as it is: an id, a type, a state, an amount, a bound, a time. */
export function clear<Described extends TSchema>(described: Described): Marked<Described> {
  return { ...described, [mark]: 'clear' };
}

/** The words of a person as an answer shows them, of a resource that is made from events. */
export function orErased<Described extends TSchema>(described: Described): TUnsafe<Static<Described> | Erased> {
  return Type.Unsafe<Static<Described> | Erased>(wordsOrErased(described));
}

/** With the description once, which generators write before the member. Any JSON needs no union: the erased form is a part of it. */
function wordsOrErased(described: TSchema): object {
  const { description, ...form } = described;
  // A named schema becomes a reference, and keeps its own description.
  const isNamed = nameOf(described) !== null || dtoOf(described) !== null;
  const isAny = !isNamed && Object.keys(form).length === 0;
  return {
    ...(!isAny && { anyOf: [isNamed ? described : form, ErasedShape] }),
    ...(description !== undefined && { description }),
    'x-personal': true,
  };
}

/** The mark of a member. */
export function markOf(member: Marked): Mark {
  return member[mark];
}
