const conversationsPerPage = 20;

const titleBody = {
  type: 'object',
  required: ['title'],
  additionalProperties: false,
  properties: { title: { type: 'string', minLength: 1, maxLength: 200 } },
};
const messageBody = {
  type: 'object',
  required: ['runId', 'text'],
  additionalProperties: false,
  properties: { runId: { type: 'string', format: 'uuid' }, text: { type: 'string', minLength: 1, maxLength: 32_768 } },
};

/**
 * Conversations and runs. Each route makes exactly one call to Parley, for the account of its own session: a browser cannot
 * reach anything else.
 * @param {import('fastify').FastifyInstance} app
 * @param {import('./sessions.js').Sessions} sessions
 */
export function conversationRoutes(app, sessions) {
  app.get('/api/conversations', async (request) => {
    const { parley } = sessions.of(request);
    const { cursor } = /** @type {{ cursor?: string }} */ (request.query);
    return parley.conversations.list({ limit: conversationsPerPage, cursor });
  });

  app.post('/api/conversations', { schema: { body: titleBody } }, async (request, reply) => {
    const { parley } = sessions.of(request);
    const { title } = /** @type {{ title: string }} checked by the schema */ (request.body);
    return reply.code(201).send(await parley.conversations.create({ title }));
  });

  app.get('/api/conversations/:conversationId', async (request) => {
    const { parley } = sessions.of(request);
    const { conversationId } = /** @type {{ conversationId: string }} */ (request.params);
    return parley.conversations.get({ conversationId });
  });

  // The page creates the run's id, so that a message that is sent twice (a lost answer, a double click) starts one run.
  app.post('/api/conversations/:conversationId/messages', { schema: { body: messageBody } }, async (request, reply) => {
    const { parley } = sessions.of(request);
    const { conversationId } = /** @type {{ conversationId: string }} */ (request.params);
    const { runId, text } = /** @type {{ runId: string, text: string }} checked by the schema */ (request.body);
    return reply.code(202).send(await parley.runs.start({ runId, conversationId, input: { text } }));
  });

  app.post('/api/runs/:runId/abort', async (request) => {
    const { parley } = sessions.of(request);
    const { runId } = /** @type {{ runId: string }} */ (request.params);
    return parley.runs.abort({ runId });
  });
}
