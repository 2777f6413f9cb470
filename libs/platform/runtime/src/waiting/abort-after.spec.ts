import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { abortAfter } from './abort-after';

setFlagsFromString('--expose-gc');
// Reason for the assertion: the flag defines it.
const collectGarbage = runInNewContext('gc') as () => void;

it('ends what waits for it together with another signal, whatever is collected meanwhile', async () => {
  const silent = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo; // it listens
  const stopping = new AbortController();
  const asked = fetch(`http://127.0.0.1:${port}/`, { signal: AbortSignal.any([stopping.signal, abortAfter(500)]) });
  const ended = asked.catch((error: unknown) => (error as Error).name);
  for (let n = 0; n < 12; n += 1) {
    await sleep(50);
    collectGarbage();
  }
  expect(await Promise.race([ended, sleep(5_000, 'nothing', { ref: false })])).toBe('TimeoutError');
  silent.closeAllConnections();
  silent.close();
});
