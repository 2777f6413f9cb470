/** So many undecided approvals are shown at once; the next come when these are decided. */
const approvalsMax = 20;

const approveBody = {
  type: 'object',
  required: ['fingerprint'],
  additionalProperties: false,
  properties: { fingerprint: { type: 'string', maxLength: 200 } },
};
const denyBody = {
  type: 'object',
  additionalProperties: false,
  properties: { reason: { type: 'string', minLength: 1, maxLength: 1024 } },
};

/**
 * Approvals, and the money behind them.
 * @param {import('fastify').FastifyInstance} app
 * @param {import('./sessions.js').Sessions} sessions
 */
export function moneyRoutes(app, sessions) {
  app.get('/api/wallet', async (request) => {
    const { parley, userId } = sessions.of(request);
    const { data } = await parley.api.GET('/v1/users/{userId}/wallet/withdrawals/sources', {
      params: { path: { userId } },
    });
    return data;
  });

  app.get('/api/approvals', async (request) => {
    const { parley, userId } = sessions.of(request);
    const { data } = await parley.api.GET('/v1/users/{userId}/approvals', {
      params: { path: { userId }, query: { status: 'pending', limit: approvalsMax } },
    });
    return data;
  });

  app.get('/api/approvals/:approvalId', async (request) => {
    const { parley, userId } = sessions.of(request);
    const { data } = await parley.api.GET('/v1/users/{userId}/approvals/{approvalId}', {
      params: { path: { userId, approvalId: approvalIdOf(request) } },
    });
    return data;
  });

  // The fingerprint that the user saw goes along: Parley refuses when it is not that of what would be done.
  app.post('/api/approvals/:approvalId/approve', { schema: { body: approveBody } }, async (request) => {
    const { parley, userId } = sessions.of(request);
    const { fingerprint } = /** @type {{ fingerprint: string }} checked by the schema */ (request.body);
    const { data } = await parley.api.POST('/v1/users/{userId}/approvals/{approvalId}/approve', {
      params: { path: { userId, approvalId: approvalIdOf(request) } },
      body: { fingerprint },
    });
    return data;
  });

  app.post('/api/approvals/:approvalId/deny', { schema: { body: denyBody } }, async (request) => {
    const { parley, userId } = sessions.of(request);
    const { reason } = /** @type {{ reason?: string }} checked by the schema */ (request.body);
    const { data } = await parley.api.POST('/v1/users/{userId}/approvals/{approvalId}/deny', {
      params: { path: { userId, approvalId: approvalIdOf(request) } },
      body: reason === undefined ? {} : { reason },
    });
    return data;
  });

  app.get('/api/operations/:operationId', async (request) => {
    const { parley, userId } = sessions.of(request);
    const { operationId } = /** @type {{ operationId: string }} */ (request.params);
    const { data } = await parley.api.GET('/v1/users/{userId}/financial-operations/{operationId}', {
      params: { path: { userId, operationId } },
    });
    return data;
  });
}

/** @param {import('fastify').FastifyRequest} request */
function approvalIdOf({ params }) {
  return /** @type {{ approvalId: string }} */ (params).approvalId;
}
