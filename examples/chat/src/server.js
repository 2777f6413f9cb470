import { fileURLToPath } from 'node:url';
import cookies from '@fastify/cookie';
import helmet from '@fastify/helmet';
import staticFiles from '@fastify/static';
import fastify from 'fastify';
import { accountRoutes } from 'partner-backend-example/src/account-routes.js';
import { conversationRoutes } from 'partner-backend-example/src/conversation-routes.js';
import { moneyRoutes } from 'partner-backend-example/src/money-routes.js';
import { answerProblem } from 'partner-backend-example/src/problems.js';
import { refuseOtherSites } from 'partner-backend-example/src/same-origin.js';
import { createSessions } from 'partner-backend-example/src/sessions.js';
import { automationRoutes } from './automation-routes.js';
import { chatRoute } from './chat-route.js';

const page = fileURLToPath(new URL('../dist', import.meta.url));

/** Scripts, styles and requests of this very site and nothing else: what an answer smuggles in cannot run, load or phone home. */
const contentSecurityPolicy = {
  useDefaults: false,
  directives: {
    defaultSrc: ["'none'"],
    scriptSrc: ["'self'"],
    styleSrc: ["'self'"],
    imgSrc: ["'self'"],
    connectSrc: ["'self'"],
    formAction: ["'self'"],
    baseUri: ["'none'"],
    frameAncestors: ["'none'"],
  },
};

/**
 * The page and the server behind it. Who is signed in, and how, is the other example's (`examples/partner-backend`): replace it there
 * with your own.
 * @param {import('partner-backend-example/src/settings.js').Settings} settings
 */
export async function createServer(settings) {
  const app = fastify({
    logger: { level: 'warn' },
    forceCloseConnections: true, // streams would keep a stopping server alive
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false } },
  });
  const sessions = createSessions(settings.publicOrigin);

  await app.register(helmet, { contentSecurityPolicy, hsts: settings.publicOrigin.protocol === 'https:' });
  await app.register(cookies);
  await app.register(staticFiles, { root: page, cacheControl: false });
  app.addHook('onRequest', refuseOtherSites(settings.publicOrigin));
  app.addHook('preClose', async () => sessions.closeAll());
  app.setErrorHandler(answerProblem);

  accountRoutes(app, sessions, settings);
  conversationRoutes(app, sessions);
  moneyRoutes(app, sessions);
  automationRoutes(app, sessions);
  chatRoute(app, sessions);
  return app;
}
