import { Worker } from 'node:worker_threads';

/** Changes with the package, so that browsers may cache the script forever. */
export const rendererVersion = '1.72.1';
const bytesMax = 16 * 1024 * 1024;

// The package offers its script through a Fastify plugin only. Loading that takes most of a second and 60 MB, so a separate thread does it:
// it passes the script on and ends.
const extract = `
const { parentPort, workerData } = require('node:worker_threads');
const fastify = require(workerData.fastify)();
fastify.register(require(workerData.plugin).default, { routePrefix: '/docs', configuration: { url: '/openapi.json' } });
fastify.inject('/docs/js/scalar.js').then((answer) => parentPort.postMessage(answer.rawPayload));
`;

/** The script of the renderer (Scalar), from the package in node_modules: nothing is loaded from a CDN. @throws Error without it */
export function rendererScript(): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const workerData = {
      fastify: require.resolve('fastify'),
      plugin: require.resolve('@scalar/fastify-api-reference'),
    };
    const worker = new Worker(extract, { eval: true, workerData });
    worker.once('message', (bytes: unknown) => {
      void worker.terminate();
      if (bytes instanceof Uint8Array && bytes.length > 0 && bytes.length <= bytesMax) resolve(Buffer.from(bytes));
      else reject(new Error("the renderer's script is not what it should be"));
    });
    worker.once('error', reject);
    worker.once('exit', (code) => reject(new Error(`the renderer's script could not be read: exit code ${code}`)));
  });
}
