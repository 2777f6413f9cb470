const automationsMax = 50;

const revisionBody = {
  type: 'object',
  required: ['revision'],
  additionalProperties: false,
  properties: { revision: { type: 'string', minLength: 1, maxLength: 200 } },
};

/**
 * Lists, pauses and resumes automations. New ones are created in a conversation, with the user's consent.
 * @param {import('fastify').FastifyInstance} app
 * @param {import('partner-backend-example/src/sessions.js').Sessions} sessions
 */
export function automationRoutes(app, sessions) {
  app.get('/api/automations', async (request) => {
    const { parley } = sessions.of(request);
    return parley.automations.list({ limit: automationsMax });
  });

  // Sends the revision that the page shows: Parley refuses if the automation has changed since.
  app.post('/api/automations/:automationId/pause', { schema: { body: revisionBody } }, async (request) => {
    const { parley } = sessions.of(request);
    return parley.automations.pause(shownOf(request));
  });

  app.post('/api/automations/:automationId/resume', { schema: { body: revisionBody } }, async (request) => {
    const { parley } = sessions.of(request);
    return parley.automations.resume(shownOf(request));
  });
}

/** @param {import('fastify').FastifyRequest} request */
function shownOf({ params, body }) {
  const { automationId } = /** @type {{ automationId: string }} */ (params);
  const { revision } = /** @type {{ revision: string }} checked by the schema */ (body);
  return { automationId, revision };
}
