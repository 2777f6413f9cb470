import { fileURLToPath } from 'node:url';
import { createApp } from 'partner-backend-example/src/app.js';
import { automationRoutes } from './automation-routes.js';
import { chatRoute } from './chat-route.js';

const page = fileURLToPath(new URL('../dist', import.meta.url));

/**
 * Creates the server with its page. Sign-in and sessions are those of the other example (`examples/partner-backend`): replace them
 * there with your own.
 * @param {import('partner-backend-example/src/settings.js').Settings} settings
 */
export async function createServer(settings) {
  const { app, sessions } = await createApp(settings, page);
  automationRoutes(app, sessions);
  chatRoute(app, sessions);
  return app;
}
