// Baseline: a service of Restate's SDK, which its server calls (restate-server.mjs starts both).
import { createServer } from 'node:http2';
import { createEndpointHandler, service } from '@restatedev/restate-sdk';

/** The SDK takes it for granted; Node has it from version 22 on. */
Promise.withResolvers ??= function withResolvers() {
  const parts = {};
  parts.promise = new this((resolve, reject) => Object.assign(parts, { resolve, reject }));
  return parts;
};

/** One durable step that does what the product's tool does, which is to tell the time; and how long it took. */
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
