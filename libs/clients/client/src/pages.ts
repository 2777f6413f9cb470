import type { UntypedCall } from './api.js';
import { Call } from './call.js';
import { List } from './list.js';
import type { CallAnswer, PageOf } from './types.js';

interface UntypedListOptions {
  readonly params?: { readonly query?: object };
}

/**
 * Yields the items of all pages of a list; each page is requested after the one before is used up. Throws as the calls
 * do.
 * @param options as for the list itself; `limit` is the size of a page, `cursor` where to begin
 */
export function itemsOf(get: UntypedCall, path: string, options: UntypedListOptions): AsyncGenerator<unknown, void> {
  const list = new List<unknown, PageOf<unknown>>(path, (cursor) => {
    const query = { ...options.params?.query, ...(cursor !== undefined && { cursor }) };
    // Reason for the assertion: `ListPath` accepts only lists whose answer is such a page.
    const page = get(path, { ...options, params: { ...options.params, query } }) as Promise<
      CallAnswer<PageOf<unknown>>
    >;
    return new Call(page);
  });
  return list[Symbol.asyncIterator]();
}
