import http from 'node:http';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { createTools } from './tools.js';

/**
 * Serves MCP over streamable HTTP, at `/mcp`. It keeps no sessions: each request is independent, so any process could answer it.
 * @param {ReturnType<typeof import('./callers.js').createCallers>} callers
 * @param {ReturnType<typeof import('./orders.js').openOrders>} orders
 */
export function createServer(callers, orders) {
  return http.createServer((request, response) => {
    if (request.url !== '/mcp') return void response.writeHead(404).end();
    if (request.method !== 'POST') return void response.writeHead(405, { allow: 'POST' }).end();
    serve(request, response).catch((error) => {
      console.error(error);
      response.destroy();
    });
  });

  /**
   * @param {http.IncomingMessage} request
   * @param {http.ServerResponse} response
   */
  async function serve(request, response) {
    // Answers are event streams: a JSON answer has no room for the progress before it.
    const transport = new StreamableHTTPServerTransport();
    response.once('close', () => void transport.close());
    await createTools(callers, orders).connect(transport);
    await transport.handleRequest(request, response);
  }
}
