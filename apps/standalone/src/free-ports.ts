import { createServer } from 'node:net';
import { listenFailure } from '@app/composition';
import type { Configuration } from '@app/settings';

/** Checks that the ports are free, before the whole service is started. @throws CannotStart */
export async function ensureFreePorts({ env }: Configuration): Promise<void> {
  const wanted = [
    ['PORT', env.HOST],
    ['MANAGEMENT_PORT', env.MANAGEMENT_HOST],
  ] as const;
  for (const [variable, host] of wanted) {
    await tryPort(host, env[variable]).catch((error: unknown) => {
      throw listenFailure(error, variable, env[variable]);
    });
  }
}

function tryPort(host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(port, host, () => probe.close(() => resolve()));
  });
}
