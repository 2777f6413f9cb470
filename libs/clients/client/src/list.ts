import { Call } from './call.js';
import type { PageOf, CallAnswer } from './types.js';
import type { UntypedCall } from './api.js';

/**
 * A list of the service, newest first unless its operation says otherwise. Nothing is requested until it is read: `for
 * await (const run of parley.runs.list())` yields every item and requests each page after the one before is used up;
 * `await` and `page()` read one page.
 */
export class List<Item, Page extends PageOf<Item>> implements AsyncIterable<Item>, PromiseLike<Page> {
  /** @param pageAt requests the page at a cursor; undefined: the first page */
  constructor(
    private readonly name: string,
    private readonly pageAt: (cursor: string | undefined) => Call<Page>,
  ) {}

  /** Requests one page: `{ data, nextCursor, … }`. `nextCursor` is the `cursor` of the next; null: it was the last. */
  page(): Call<Page> {
    return this.pageAt(undefined);
  }

  /** Yields page after page. Throws as the calls do. */
  async *pages(): AsyncGenerator<Page, void> {
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page: Page = await this.pageAt(cursor);
      yield page;
      if (page.nextCursor === cursor) throw new Error(`${this.name} does not go on: the same cursor came twice`);
      cursor = page.nextCursor;
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void> {
    for await (const page of this.pages()) yield* page.data;
  }

  then<Fulfilled = Page, Rejected = never>(
    onFulfilled?: ((page: Page) => Fulfilled | PromiseLike<Fulfilled>) | null,
    onRejected?: ((reason: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<Fulfilled | Rejected> {
    return this.page().then(onFulfilled, onRejected);
  }
}

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
