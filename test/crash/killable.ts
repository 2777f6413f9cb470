import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Deployment, type DeploymentOptions, startDeployment } from '@app/testing/deployment';
import { KillOrders, onlyCount } from './kill-orders';

/** A deployment whose processes take orders to die. */
export interface Killable {
  readonly deployment: Deployment;
  readonly orders: KillOrders;
  stop(): Promise<void>;
}

/** Starts a deployment whose processes take orders. */
export async function startKillable({ env, ...options }: DeploymentOptions): Promise<Killable> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-kills-'));
  const removeFolder = () => rm(folder, { recursive: true });
  const orders = new KillOrders(folder);
  try {
    const deployment = await startDeployment({ ...options, env: { ...env, ...orders.env } });
    return { deployment, orders, stop: () => deployment.stop().finally(removeFolder) };
  } catch (error) {
    await removeFolder();
    throw error;
  }
}

/** Starts the workers that are dead, and withdraws the orders of all of them. */
export async function disarmed({ orders, deployment }: Killable): Promise<void> {
  for (const worker of deployment.workers) {
    for (;;) {
      if (!worker.isAlive) await worker.start();
      const isTaken = await orders.give(worker.pid, onlyCount).then(
        () => true,
        () => false, // it died of its order meanwhile
      );
      if (isTaken) break;
    }
  }
}
