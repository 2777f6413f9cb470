import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { NotCalledForAUser } from './callers.js';

/** How long an invoice takes. */
const invoiceMs = 900;

/**
 * Creates the tools for one request. No tool has an input for the user, who is the one that the call is signed for.
 * @param {ReturnType<typeof import('./callers.js').createCallers>} callers
 * @param {ReturnType<typeof import('./orders.js').openOrders>} orders
 */
export function createTools(callers, orders) {
  const server = new McpServer({ name: 'orders', version: '0.2.0' });

  server.registerTool(
    'list_orders',
    {
      description: "The user's orders.",
      inputSchema: {},
      annotations: { readOnlyHint: true },
    },
    (_input, { requestInfo }) => forUser(requestInfo, ({ userId }) => JSON.stringify(orders.list(userId))),
  );

  server.registerTool(
    'cancel_order',
    {
      description: "Cancels one of the user's orders.",
      inputSchema: { orderId: z.string().max(40).describe('As list_orders names it') },
      annotations: { destructiveHint: true },
    },
    ({ orderId }, { requestInfo }) => forUser(requestInfo, (caller) => orders.cancel(caller, orderId)),
  );

  server.registerTool(
    'write_invoices',
    {
      description: "Writes an invoice for each of the user's orders, which takes a few seconds.",
      inputSchema: {},
      annotations: { idempotentHint: true },
    },
    (_input, { requestInfo, signal, sendNotification, _meta }) =>
      forUser(requestInfo, async ({ userId }) => {
        const { progressToken } = _meta ?? {};
        const open = orders.list(userId);
        for (const [index, { what }] of open.entries()) {
          await sleep(invoiceMs, null, { signal });
          // What users read while they wait. Parley shows it, and records nothing of it.
          const progress = { progress: index + 1, total: open.length, message: `Invoice for ${what}` };
          if (progressToken !== undefined)
            await sendNotification({ method: 'notifications/progress', params: { progressToken, ...progress } });
        }
        return `${open.length} invoices are written.`;
      }),
  );

  return server;

  /**
   * @param {{ headers: import('node:http').IncomingHttpHeaders } | undefined} request
   * @param {(caller: import('./callers.js').Caller) => string | Promise<string>} answer
   * @returns {Promise<import('@modelcontextprotocol/sdk/types.js').CallToolResult>}
   */
  async function forUser(request, answer) {
    try {
      return saying(await answer(await callers.of(request?.headers['parley-context'])));
    } catch (error) {
      if (!(error instanceof NotCalledForAUser)) throw error;
      console.warn(error.message);
      return { ...saying('This call was refused: it does not say whose it is.'), isError: true };
    }
  }
}

/**
 * @param {string} text
 * @returns {import('@modelcontextprotocol/sdk/types.js').CallToolResult}
 */
function saying(text) {
  return { content: [{ type: 'text', text }] };
}
