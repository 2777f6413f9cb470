// The example's one process: `npm start -w examples/chat`.
import { readSettings } from 'partner-backend-example/src/settings.js';
import { createServer } from './server.js';

try {
  const settings = readSettings({ PORT: '3001', ...process.env });
  const server = await createServer(settings);
  await server.listen({ host: settings.host, port: settings.port });
  console.log(`The example is at ${settings.publicOrigin.origin} and speaks to Parley at ${settings.baseUrl}`);
  for (const signal of ['SIGINT', 'SIGTERM'])
    process.once(signal, () => void server.close().then(() => process.exit()));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
