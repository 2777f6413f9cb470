/** Waits for work to end, successfully or not, but no longer than this; returns whether it has. */
export async function settledWithin(work: readonly Promise<unknown>[], withinMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, withinMs, false);
  });
  const settled = Promise.allSettled(work).then(() => true);
  const inTime = await Promise.race([settled, late]);
  clearTimeout(timer);
  return inTime;
}
