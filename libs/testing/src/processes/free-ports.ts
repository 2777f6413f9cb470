import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type ListenOptions } from 'node:net';

/**
 * Below the ports that systems assign to outgoing connections and to servers on port 0, because such a port is soon
 * taken by another process.
 */
const portRange = [10_000, 32_768] as const;

/** A port that `fetch` refuses to call. */
const blockedPort = 10_080;

/**
 * Returns ports that no server listens on, all different, and reserves them until this process ends: no other process that
 * asks here gets one of them, since a server often starts seconds later. Not by `Math.random`, which starts alike in
 * every worker of jest.
 */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  while (ports.length < count) {
    const port = randomInt(...portRange);
    if (port !== blockedPort && (await isFree(port)) && (await reserve(port))) ports.push(port);
  }
  return ports;
}

async function isFree(port: number): Promise<boolean> {
  const server = await listening({ host: '127.0.0.1', port });
  if (server === null) return false;
  await once(server.close(), 'close');
  return true;
}

/**
 * Returns false if a process has reserved the port before. The reservation is an abstract socket, which one process has
 * at a time, and which the system closes with it; other systems than Linux have none, and reserve nothing.
 */
async function reserve(port: number): Promise<boolean> {
  if (process.platform !== 'linux') return true;
  const reservation = await listening({ path: `\0parley-test-port-${port}` });
  reservation?.unref();
  return reservation !== null;
}

/** Returns null if another server has the address. */
async function listening(address: ListenOptions) {
  const server = createServer().listen(address);
  try {
    await once(server, 'listening');
    return server;
  } catch {
    return null;
  }
}
