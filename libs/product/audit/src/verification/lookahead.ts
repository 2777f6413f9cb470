/** An iterator to which items can be given back. */
export class Lookahead<Item> {
  private readonly source: AsyncIterator<Item>;
  /** The given-back items, the next one last. */
  private given: Item[] = [];

  constructor(source: AsyncIterable<Item>) {
    this.source = source[Symbol.asyncIterator]();
  }

  /** Undefined at the end. */
  async next(): Promise<Item | undefined> {
    const back = this.given.pop();
    if (back !== undefined) return back;
    const next = await this.source.next();
    return next.done === true ? undefined : next.value;
  }

  /** These items are returned next, in this order. */
  giveBack(items: readonly Item[]): void {
    this.given.push(...items.toReversed());
  }
}
