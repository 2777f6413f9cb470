import { limits } from '@app/kernel';
import { custom, integer, isText, optional, text, type Schema } from '@app/schema';
import { Member, QueryMember } from './dto';

/** The `cursor` of a list. Any text is valid here: the list itself refuses one that it did not mint as `invalid_cursor`. */
export function cursor(description = 'The `nextCursor` of the page before'): Schema<string> {
  const examples = ['nJ3mR0cSSv7wY1tq2b8ZbVsyXQ'];
  return optional(custom(text({ max: limits.cursorLengthMax, description, examples }), isText, 'must be a text'));
}

/** The `limit` of a list, in items. */
export function pageLimit({
  max = limits.listLimitMax,
  absent = limits.listLimitDefault,
  description = 'How many at most',
}: { readonly max?: number; readonly absent?: number; readonly description?: string } = {}): Schema<number> {
  return integer({ min: 1, max, default: absent, description });
}

/** The query of a list; one with filters extends it. */
export class PageQuery {
  @Member(cursor())
  cursor?: string;

  @QueryMember(pageLimit())
  limit: number;
}
