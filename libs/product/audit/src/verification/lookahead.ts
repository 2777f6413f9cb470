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
    const { value, done } = await this.source.next();
    // Reason for the assertion: what an iterator returns at its end is no item.
    return done === true ? undefined : (value as Item);
  }

  /** They come next, in this order. */
  giveBack(items: readonly Item[]): void {
    this.given.push(...items.toReversed());
  }
}
