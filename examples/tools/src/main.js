// The example's one process: `npm start -w examples/tools`.
import { once } from 'node:events';
import { createCallers } from './callers.js';
import { openOrders } from './orders.js';
import { createServer } from './server.js';
import { readSettings } from './settings.js';

const [argument] = process.argv.slice(2);
if (argument !== undefined) {
  console.error(`There is no argument ${argument}: variables configure the example (see its README).`);
  process.exit(2);
}

try {
  const settings = readSettings(process.env);
  const orders = openOrders(settings.ordersFile);
  const server = createServer(createCallers(settings), orders);
  server.listen(settings.port, settings.host);
  await once(server, 'listening');
  console.log(`The tools are at http://${settings.host}:${settings.port}/mcp, for ${settings.baseUrl}`);
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.once(signal, () => {
      server.close(() => process.exit());
      server.closeIdleConnections();
    });
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
