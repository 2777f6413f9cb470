import { readSettings } from './settings.js';

/**
 * Runs a server until SIGINT or SIGTERM. Prints its address, or why it could not start.
 * @param {(settings: import('./settings.js').Settings) => Promise<import('fastify').FastifyInstance>} createServer
 * @param {NodeJS.ProcessEnv} env
 */
export async function serve(createServer, env) {
  const [argument] = process.argv.slice(2);
  if (argument !== undefined) {
    console.error(`There is no argument ${argument}: variables configure the example (see its README).`);
    process.exitCode = 2;
    return;
  }
  try {
    const settings = readSettings(env);
    const server = await createServer(settings);
    await server.listen({ host: settings.host, port: settings.port });
    console.log(`The example is at ${settings.publicOrigin.origin} and speaks to Parley at ${settings.baseUrl}`);
    for (const signal of ['SIGINT', 'SIGTERM'])
      process.once(signal, () => void server.close().then(() => process.exit()));
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
