import type { ProbePoint } from '@app/runtime';
import type { TestProcess } from '@app/testing/processes';
import { keepAlive } from './keep-alive';
import type { KillOrder, KillOrders } from './kill-orders';

const counting: KillOrder = { point: null, nth: 0 };

export interface KillRounds {
  readonly orders: KillOrders;
  /** The process that is killed, and started again. */
  readonly worker: () => TestProcess;
  readonly points: readonly ProbePoint[];
  readonly roundsMax: number;
  /** Every point, each time that the work passes it; else one of each kind, another every time. */
  readonly full: boolean;
}

/**
 * Does the work once to learn which points it passes, and then once for each kill, in the midst of it. Answers how many kills were
 * ordered. Throws when the work does not come to its end, with the order under which it did not.
 *
 * @param begin prepares a round undisturbed, and answers the work
 */
export async function killInTurn(rounds: KillRounds, begin: () => Promise<() => Promise<void>>): Promise<number> {
  const { orders, worker } = rounds;
  const waiting = await planned(rounds, await begin());
  for (const order of waiting) {
    const work = await begin();
    await orders.give(worker().pid, order);
    const kept = keepAlive(worker());
    try {
      await work();
    } catch (error) {
      throw new Error(`killed at ${JSON.stringify(order)}`, { cause: error });
    } finally {
      await kept.leave();
    }
  }
  return waiting.length;
}

async function planned(
  { orders, worker, points, roundsMax, full }: KillRounds,
  work: () => Promise<void>,
): Promise<KillOrder[]> {
  await orders.give(worker().pid, counting);
  await work();
  const passed = await orders.give(worker().pid, counting);
  const all = points.map((point) =>
    Array.from({ length: passed[point] ?? 0 }, (_, index) => ({ point, nth: index + 1 })),
  );
  const chosen = full ? all.flat() : all.flatMap((of) => of[Math.floor(Math.random() * of.length)] ?? []);
  return chosen.slice(0, roundsMax);
}
