import { fileURLToPath } from 'node:url';
import { createApp } from './app.js';
import { streamRoute } from './stream-route.js';

const page = fileURLToPath(new URL('../page', import.meta.url));

/**
 * Creates the whole backend: the page, its session, and the few calls to Parley that the page needs.
 * @param {import('./settings.js').Settings} settings
 */
export async function createServer(settings) {
  const { app, sessions } = await createApp(settings, page);
  streamRoute(app, sessions);
  return app;
}
