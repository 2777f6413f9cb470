import { existsSync } from 'node:fs';
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ProbePoint } from '@app/runtime';
import type { AppName, TestProcess } from '@app/testing/processes';

const takenWithinMs = 120_000;
const askAgainMs = 5;

const armAttemptsMax = 100;
const armAgainMs = 200;

/**
 * Kills a process when it reaches the point for the n-th time, counted from the order on. A point of null only counts.
 */
export interface KillOrder {
  readonly point: ProbePoint | null;
  readonly nth: number;
}

/** The number of times that each point was passed. */
export type PassedPoints = { readonly [Point in ProbePoint]?: number };

/** An order without a kill: the process only counts. */
export const onlyCount: KillOrder = { point: null, nth: 0 };

/** Orders processes of the build to die at a point: see `kill-probe.cjs`, which is preloaded into them. */
export class KillOrders {
  constructor(private readonly folder: string) {}

  /** The environment that a process needs to take orders. */
  get env(): { readonly NODE_OPTIONS: string; readonly PARLEY_KILL_ORDERS: string } {
    return { NODE_OPTIONS: `--require=${join(__dirname, 'kill-probe.cjs')}`, PARLEY_KILL_ORDERS: this.folder };
  }

  /**
   * Gives a running process its order. Resolves once the process has it, with the points that it passed under the
   * previous order. Throws an error with the code ESRCH if the process does not exist any more.
   */
  async give(pid: number, order: KillOrder): Promise<PassedPoints> {
    await this.untilThere(pid, `${pid}.listening`, true);
    await this.write(`${pid}.json`, order);
    process.kill(pid, 'SIGUSR2');
    await this.untilThere(pid, `${pid}.json`, false);
    // Reason for the assertion: the probe writes this file.
    return JSON.parse(await readFile(join(this.folder, `${pid}.passed`), 'utf8')) as PassedPoints;
  }

  /** As `give`, but if the process is just dying of its previous order, its successor gets the new one. */
  async arm(victim: TestProcess, order: KillOrder): Promise<PassedPoints> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.give(victim.pid, order);
      } catch (error) {
        // Checked by its code alone, because Node's errors come from another realm than jest's `Error`.
        const isGone = typeof error === 'object' && error !== null && 'code' in error && error.code === 'ESRCH';
        if (!isGone || attempt === armAttemptsMax) throw error;
        await sleep(armAgainMs);
      }
    }
  }

  /**
   * Arms replicas of one app, each with the same order. Returns how often at least one of them passes each point if the
   * same work is done again, however it is distributed among them.
   */
  async armAll(victims: readonly TestProcess[], order: KillOrder): Promise<PassedPoints> {
    const passed = await Promise.all(victims.map((victim) => this.arm(victim, order)));
    const inAll = passed.reduce(sumOf, {});
    const surely = Object.entries(inAll).map(([point, count]) => [point, Math.ceil(count / victims.length)]);
    // Reason for the assertion: the keys are those of these records.
    return Object.fromEntries(surely) as PassedPoints;
  }

  /** Gives the order to the next process of the app that starts, from its first moment on. Null withdraws it. */
  async giveNext(app: AppName, order: KillOrder | null): Promise<void> {
    if (order === null) await rm(join(this.folder, `next-${app}.json`), { force: true });
    else await this.write(`next-${app}.json`, order);
  }

  /** The orders carried out so far, as `app point nth`, one for each killed process. */
  async carriedOut(): Promise<string[]> {
    const names = (await readdir(this.folder)).filter((name) => name.endsWith('.killed'));
    return Promise.all(names.map((name) => readFile(join(this.folder, name), 'utf8')));
  }

  /** Waits until a file is there, or is gone. Throws an error with the code ESRCH if the process does not exist any more. */
  private async untilThere(pid: number, name: string, isThere: boolean): Promise<void> {
    const deadline = performance.now() + takenWithinMs;
    while (existsSync(join(this.folder, name)) !== isThere) {
      if (performance.now() > deadline) throw new Error(`process ${pid} takes no order`);
      process.kill(pid, 0);
      await sleep(askAgainMs);
    }
  }

  /** Writes atomically, because the process may read at any moment. */
  private async write(name: string, order: KillOrder): Promise<void> {
    const unfinished = join(this.folder, `${name}.unfinished`);
    await writeFile(unfinished, JSON.stringify(order));
    await rename(unfinished, join(this.folder, name));
  }
}

function sumOf(one: PassedPoints, other: PassedPoints): PassedPoints {
  // Reason for the assertion: the keys of these records are the points.
  const points = Object.keys({ ...one, ...other }) as ProbePoint[];
  return Object.fromEntries(points.map((point) => [point, (one[point] ?? 0) + (other[point] ?? 0)]));
}
