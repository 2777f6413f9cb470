// Restate from its own packages: its server in a separate process, with the service of baselines/restate.mjs
// registered.
import { createRequire } from 'node:module';
import { mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { post } from './http-client.mjs';
import { freePort, start, startBaseline, stop } from './processes.mjs';

const readyWithinMs = 60_000;
const pollMs = 100;

/**
 * Starts server and service. The server's journal is on the same disk as everything else, written with fsync, the
 * server's default.
 */
export async function startRestate() {
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-bench-restate-'));
  const [ingressPort, adminPort, nodePort] = [await freePort(), await freePort(), await freePort()];
  const log = openSync(path.join(folder, 'restate.log'), 'w');
  const service = await startBaseline('restate', { RESTATE_LOGGING: 'ERROR' });
  const server = start(serverProgram(), ['--no-logo'], {
    cwd: folder,
    env: {
      RESTATE_BASE_DIR: folder,
      RESTATE_LISTEN_MODE: 'tcp',
      RESTATE_BIND_IP: '127.0.0.1',
      RESTATE_BIND_PORT: String(nodePort),
      RESTATE_ADVERTISED_ADDRESS: `http://127.0.0.1:${nodePort}`,
      RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${ingressPort}`,
      RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${adminPort}`,
      RESTATE_DISABLE_TELEMETRY: 'true',
      RESTATE_LOG_FILTER: 'restate=error',
    },
    stdout: log,
    stderr: log,
  });
  const close = async () => {
    await stop(server);
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await untilRegistered(`http://127.0.0.1:${adminPort}/deployments`, service.url);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    processes: { 'Restate server': server.pid, service: service.child.pid },
    /**
     * Runs one durable step in a separate invocation.
     * @returns {Promise<{tookMs: number}>}
     */
    step: () => post(`http://127.0.0.1:${ingressPort}/steps/run`, {}, {}),
    close,
  };
}

function serverProgram() {
  const name = `@restatedev/restate-server-${process.platform}-${process.arch}`;
  return createRequire(import.meta.url).resolve(`${name}/bin/restate-server`);
}

/** Registers the service as soon as the server listens. */
async function untilRegistered(url, uri) {
  const deadline = performance.now() + readyWithinMs;
  for (;;) {
    try {
      return await post(url, {}, { uri });
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await sleep(pollMs);
    }
  }
}
