// Baseline: a service of Restate's SDK, called by Restate's server (../restate.mjs starts both).
import { createServer } from 'node:http2';
import { createEndpointHandler, service } from '@restatedev/restate-sdk';

/** The SDK relies on it, and Node provides it only from version 22 on. */
Promise.withResolvers ??= function withResolvers() {
  const parts = {};
  parts.promise = new this((resolve, reject) => Object.assign(parts, { resolve, reject }));
  return parts;
};

/** One durable step that returns the time, as the product's tool does. Returns how long the step took. */
const steps = service({
  name: 'steps',
  handlers: {
    run: async (context) => {
      const startedMs = performance.now();
      await context.run('time', () => ({ time: new Date().toISOString() }));
      return { tookMs: performance.now() - startedMs };
    },
  },
});

const server = createServer(createEndpointHandler({ services: [steps] }));
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
