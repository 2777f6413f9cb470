/** Runs the body for each item, so many at a time; the results are in the order of the items. Rejects with the first failure. */
export async function inParallel<Item, Value>(
  items: readonly Item[],
  atOnce: number,
  body: (item: Item) => Promise<Value>,
): Promise<Value[]> {
  const results: Value[] = [];
  for (let from = 0; from < items.length; from += atOnce)
    results.push(...(await Promise.all(items.slice(from, from + atOnce).map(body))));
  return results;
}
