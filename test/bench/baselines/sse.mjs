// Baseline: Node alone, which writes each posted body to every open stream.
import { createServer } from 'node:http';

const streams = new Set();

const server = createServer((request, response) => {
  if (request.method === 'POST') publish(request, response);
  else open(response);
}).listen(0, '127.0.0.1', () => console.log(server.address().port));

function open(response) {
  response.socket.setNoDelay(true);
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache, no-store',
  });
  response.write('retry: 2000\n\n');
  streams.add(response);
  response.on('close', () => streams.delete(response));
}

function publish(request, response) {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const frame = Buffer.concat(chunks);
    for (const stream of streams) stream.write(frame);
    response.writeHead(204).end();
  });
}
