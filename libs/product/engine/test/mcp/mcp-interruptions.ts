import { type LoopbackMcp, saying } from '@app/testing/mcp';

const eventStream = { 'content-type': 'text/event-stream' };

/** Breaks off in the middle of its answer. */
export const breakingOff: LoopbackMcp['misbehave'] = (_, response) => {
  response.writeHead(200, eventStream).write('event: message\ndata: {"jso');
  setTimeout(() => response.destroy(), 20);
  return true;
};

/** Ends or breaks the stream of a call before the answer, and sends the remainder to a client that asks by the stream's last event. */
export function interrupting(how: 'ends' | 'breaks'): LoopbackMcp['misbehave'] {
  let id = -1;
  return (request, response, body) => {
    if (body.includes('tools/call')) {
      ({ id } = JSON.parse(body) as { id: number }); // reason for the assertion: a request of JSON-RPC
      response.writeHead(200, eventStream).write('id: 7\nretry: 20\ndata:\n\n');
      setTimeout(() => (how === 'ends' ? response.end() : response.destroy()), 20);
      return true;
    }
    if (request.headers['last-event-id'] !== '7') return false;
    const answer = JSON.stringify({ jsonrpc: '2.0', id, result: saying('the rest') });
    return !!response.writeHead(200, eventStream).end(`data: ${answer}\n\n`);
  };
}
