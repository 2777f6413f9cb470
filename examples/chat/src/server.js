import { fileURLToPath } from 'node:url';
import { createApp } from 'partner-backend-example/src/app.js';
import { automationRoutes } from './automation-routes.js';
import { chatRoute } from './chat-route.js';

const page = fileURLToPath(new URL('../dist', import.meta.url));

/**
 * The page and the server behind it. Who is signed in, and how, is the other example's (`examples/partner-backend`): replace it there
 * with your own.
 * @param {import('partner-backend-example/src/settings.js').Settings} settings
 */
export async function createServer(settings) {
  const { app, sessions } = await createApp(settings, page);
  automationRoutes(app, sessions);
  chatRoute(app, sessions);
  return app;
}
