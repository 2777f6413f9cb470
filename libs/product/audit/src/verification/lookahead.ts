/** Items one by one, some of which can be given back. */
export class Lookahead<Item> {
  private readonly source: AsyncIterator<Item>;
  /** The next one last. */
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

  /** They come next, in this order. */
  giveBack(items: readonly Item[]): void {
    this.given.push(...items.toReversed());
  }
}
