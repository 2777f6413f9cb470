import { createServer } from 'node:net';
import { PortInUse } from '@app/composition';
import type { Configuration } from '@app/runtime';

/** Finds out before the whole service is started whether the ports can be had. @throws PortInUse */
export async function ensureFreePorts({ env }: Configuration): Promise<void> {
  const wanted = [
    ['PORT', env.HOST],
    ['MANAGEMENT_PORT', env.MANAGEMENT_HOST],
  ] as const;
  for (const [variable, host] of wanted) {
    if (!(await isFree(host, env[variable]))) throw new PortInUse(variable, env[variable]);
  }
}

function isFree(host: string, port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(false);
      else reject(error);
    });
    probe.listen(port, host, () => probe.close(() => resolve(true)));
  });
}
