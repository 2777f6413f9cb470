import { fileURLToPath } from 'node:url';
import cookies from '@fastify/cookie';
import helmet from '@fastify/helmet';
import staticFiles from '@fastify/static';
import fastify from 'fastify';
import { accountRoutes } from './account-routes.js';
import { conversationRoutes } from './conversation-routes.js';
import { moneyRoutes } from './money-routes.js';
import { answerProblem } from './problems.js';
import { refuseOtherSites } from './same-origin.js';
import { createSessions } from './sessions.js';
import { streamRoute } from './stream-route.js';

const page = fileURLToPath(new URL('../page', import.meta.url));

/** Scripts, styles and requests of this very site and nothing else: what an answer smuggles in cannot run and cannot phone home. */
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
 * The whole backend: the page, its session, and the few calls to Parley that the page needs.
 * @param {import('./settings.js').Settings} settings
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
  streamRoute(app, sessions);
  return app;
}
