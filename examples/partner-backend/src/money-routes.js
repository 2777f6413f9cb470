/** Number of undecided approvals that are shown at once; others follow when these are decided. */
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
    const { parley } = sessions.of(request);
    return parley.wallets.withdrawalSources();
  });

  app.get('/api/approvals', async (request) => {
    const { parley } = sessions.of(request);
    return parley.approvals.list({ status: 'pending', limit: approvalsMax });
  });

  app.get('/api/approvals/:approvalId', async (request) => {
    const { parley } = sessions.of(request);
    return parley.approvals.get({ approvalId: approvalIdOf(request) });
  });

  // Sends the fingerprint that the user saw: Parley refuses if it does not match the action.
  app.post('/api/approvals/:approvalId/approve', { schema: { body: approveBody } }, async (request) => {
    const { parley } = sessions.of(request);
    const { fingerprint } = /** @type {{ fingerprint: string }} checked by the schema */ (request.body);
    return parley.approvals.approve({ approvalId: approvalIdOf(request), fingerprint });
  });

  app.post('/api/approvals/:approvalId/deny', { schema: { body: denyBody } }, async (request) => {
    const { parley } = sessions.of(request);
    const { reason } = /** @type {{ reason?: string }} checked by the schema */ (request.body);
    return parley.approvals.deny({ approvalId: approvalIdOf(request), reason });
  });

  app.get('/api/operations/:operationId', async (request) => {
    const { parley } = sessions.of(request);
    const { operationId } = /** @type {{ operationId: string }} */ (request.params);
    return parley.financialOperations.get({ operationId });
  });
}

/** @param {import('fastify').FastifyRequest} request */
function approvalIdOf({ params }) {
  return /** @type {{ approvalId: string }} */ (params).approvalId;
}
