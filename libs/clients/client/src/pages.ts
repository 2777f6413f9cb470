import type { UntypedCall } from './api.js';

interface Page {
  readonly data: readonly unknown[];
  readonly nextCursor: string | null;
}

interface UntypedListOptions {
  readonly params?: { readonly query?: object };
}

/**
 * The items of all pages of a list, each page asked for when the one before is used up. Throws as the calls do.
 * @param options as for the list itself; `limit` is the size of a page, `cursor` where to begin
 */
export async function* itemsOf(get: UntypedCall, path: string, options: UntypedListOptions): AsyncGenerator {
  for (let cursor: string | null | undefined; cursor !== null;) {
    const query = { ...options.params?.query, ...(cursor !== undefined && { cursor }) };
    const { data } = await get(path, { ...options, params: { ...options.params, query } });
    // Reason for the assertion: `ListPath` lets only lists through whose answer is such a page.
    const page = data as Page;
    yield* page.data;
    if (page.nextCursor === cursor) throw new Error(`${path} does not go on: the same cursor came twice`);
    cursor = page.nextCursor;
  }
}
