import type { ProbePoint } from '@app/runtime';
import type { TestProcess } from '@app/testing/processes';
import { keepAlive } from './keep-alive';
import { onlyCount, type KillOrder, type KillOrders } from './kill-orders';

export interface KillRounds {
  readonly orders: KillOrders;
  /** The processes that are killed and restarted: replicas, each of which dies if it reaches the point. */
  readonly victims: readonly TestProcess[];
  readonly points: readonly ProbePoint[];
  readonly roundsMax: number;
  /**
   * Kills at every point, each time that the work passes it; otherwise once for each kind of point, chosen at random.
   */
  readonly full: boolean;
}

/**
 * Does the work once to count the points that it passes, and then once for each kill, which happens during the work.
 * @param begin prepares a round undisturbed, and returns its work
 * @returns the number of ordered kills
 * @throws an error that names the order under which the work failed
 */
export async function killInTurn(rounds: KillRounds, begin: () => Promise<() => Promise<void>>): Promise<number> {
  const { orders, victims } = rounds;
  const waiting = await planned(rounds, await begin());
  for (const order of waiting) {
    const work = await begin();
    await orders.armAll(victims, order);
    const kept = victims.map((victim) => keepAlive(victim));
    try {
      await work();
      // An order that was not reached would kill when the process is not kept alive any more.
      await orders.armAll(victims, onlyCount);
    } catch (error) {
      throw new Error(`killed at ${JSON.stringify(order)}`, { cause: error });
    } finally {
      await Promise.all(kept.map((one) => one.leave()));
    }
  }
  return waiting.length;
}

async function planned(
  { orders, victims, points, roundsMax, full }: KillRounds,
  work: () => Promise<void>,
): Promise<KillOrder[]> {
  await orders.armAll(victims, onlyCount);
  await work();
  const passed = await orders.armAll(victims, onlyCount);
  const all = points.map((point) =>
    Array.from({ length: passed[point] ?? 0 }, (_, index) => ({ point, nth: index + 1 })),
  );
  const chosen = full ? all.flat() : all.flatMap((of) => of[Math.floor(Math.random() * of.length)] ?? []);
  return chosen.sort(() => Math.random() - 0.5).slice(0, roundsMax);
}
