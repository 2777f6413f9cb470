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

/** Allows scripts, styles and requests of this site only, so that injected content of an answer cannot run, load or send anything. */
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
 * Creates a server with a page, sign-in and sessions, and the routes for conversations and money; `examples/chat` builds on it too.
 * @param {import('./settings.js').Settings} settings
 * @param {string} page folder of the public files
 */
export async function createApp(settings, page) {
  const app = fastify({
    logger: { level: 'warn' },
    forceCloseConnections: true, // otherwise streams would keep a stopping server alive
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
  return { app, sessions };
}
