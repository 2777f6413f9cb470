import type { TSchema, TUnsafe } from '@sinclair/typebox';
import { limits } from '@app/kernel';
import { list, nullable, shape } from './objects';
import { integer, text, type Shaped } from './schema';

/** A page of a list; `nextCursor` is null at the end as of this read. */
export type Page<View> = {
  readonly data: readonly View[];
  readonly nextCursor: string | null;
};

const nextCursor = nullable(text({ max: limits.cursorLengthMax }), {
  description: 'Passed back as `cursor`, it continues the list; null at the end as of this read',
});

/** The members of every page of a list. */
export function pageMembers<Item extends TSchema>(
  item: Item,
  max: number = limits.listLimitMax,
): { readonly data: TUnsafe<readonly Shaped<Item>[]>; readonly nextCursor: typeof nextCursor } {
  const data = list(item, { max, description: 'What this page holds; a large one ends before `limit`' });
  return { data, nextCursor };
}

/** A page of a list. @param name of one item, as in `Run` for `RunPage` */
export function pageOfShape<Item extends TSchema>(
  name: string,
  item: Item,
  max: number = limits.listLimitMax,
): TUnsafe<Page<Shaped<Item>>> {
  return shape(`${name}Page`, pageMembers(item, max));
}

/** A page of a list whose items are counted. */
export function countedPageOfShape<Item extends TSchema>(
  name: string,
  item: Item,
  max: number = limits.listLimitMax,
): TUnsafe<Page<Shaped<Item>> & { readonly total: number }> {
  const total = integer({ min: 0, description: 'How many the whole list holds' });
  return shape(`${name}Page`, { ...pageMembers(item, max), total });
}
