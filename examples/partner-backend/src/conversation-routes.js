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
 * Conversations and runs. Each route names the one call to Parley that the page may make, for the account of its own session:
 * a browser cannot reach anything else.
 * @param {import('fastify').FastifyInstance} app
 * @param {import('./sessions.js').Sessions} sessions
 */
export function conversationRoutes(app, sessions) {
  app.get('/api/conversations', async (request) => {
    const { parley, userId } = sessions.of(request);
    const { cursor } = /** @type {{ cursor?: string }} */ (request.query);
    const query = { limit: conversationsPerPage, ...(cursor !== undefined && { cursor }) };
    const { data } = await parley.api.GET('/v1/users/{userId}/conversations', { params: { path: { userId }, query } });
    return data;
  });

  app.post('/api/conversations', { schema: { body: titleBody } }, async (request, reply) => {
    const { parley, userId } = sessions.of(request);
    const { title } = /** @type {{ title: string }} checked by the schema */ (request.body);
    const { data } = await parley.api.POST('/v1/users/{userId}/conversations', {
      params: { path: { userId } },
      body: { title },
    });
    return reply.code(201).send(data);
  });

  app.get('/api/conversations/:conversationId', async (request) => {
    const { parley, userId } = sessions.of(request);
    const { conversationId } = /** @type {{ conversationId: string }} */ (request.params);
    const { data } = await parley.api.GET('/v1/users/{userId}/conversations/{conversationId}', {
      params: { path: { userId, conversationId } },
    });
    return data;
  });

  // The page makes the run's id, so that a message that is sent twice (a lost answer, a double click) starts one run.
  app.post('/api/conversations/:conversationId/messages', { schema: { body: messageBody } }, async (request, reply) => {
    const { parley, userId } = sessions.of(request);
    const { conversationId } = /** @type {{ conversationId: string }} */ (request.params);
    const { runId, text } = /** @type {{ runId: string, text: string }} checked by the schema */ (request.body);
    const { data } = await parley.api.POST('/v1/users/{userId}/agent-runs', {
      params: { path: { userId } },
      body: { runId, conversationId, input: { text } },
    });
    return reply.code(202).send(data);
  });

  app.post('/api/runs/:runId/abort', async (request) => {
    const { parley, userId } = sessions.of(request);
    const { runId } = /** @type {{ runId: string }} */ (request.params);
    const { data } = await parley.api.POST('/v1/users/{userId}/agent-runs/{runId}/abort', {
      params: { path: { userId, runId } },
    });
    return data;
  });
}
