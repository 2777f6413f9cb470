// Readers of event streams: bare sockets that record when each frame arrives.
import { connect } from 'node:net';

/** Every frame of an event contains it exactly once, and nothing else on these streams contains it. */
const frameMark = Buffer.from('\ndata: ');
const openedAtOnce = 50;
const openWithinMs = 10_000;

/**
 * Opens `count` streams of one URL. `onFrame(ordinal)` is called for each frame on each stream; the first frame's
 * ordinal is 0.
 * @returns {Promise<{close: () => void, pause: () => void}>} when all are open; paused streams read nothing more
 */
export async function openStreams({ url, headers = {}, count, onFrame }) {
  const sockets = [];
  for (let opened = 0; opened < count; opened += openedAtOnce) {
    const some = Array.from({ length: Math.min(openedAtOnce, count - opened) }, () =>
      openStream(url, headers, onFrame),
    );
    sockets.push(...(await Promise.all(some)));
  }
  return {
    close: () => {
      for (const socket of sockets) socket.destroy();
    },
    pause: () => {
      for (const socket of sockets) socket.pause();
    },
  };
}

function openStream(url, headers, onFrame) {
  const { hostname, port, pathname, search } = new URL(url);
  const lines = Object.entries({ host: `${hostname}:${port}`, ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`${url} was not opened`)), openWithinMs);
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    socket.on('error', reject); // Rejecting has no effect after the stream was opened: a stalled reader is cut off
    socket.write(`GET ${pathname}${search} HTTP/1.1\r\n${lines.join('')}\r\n`);
    socket.once('data', (head) => {
      clearTimeout(late);
      if (!head.includes('HTTP/1.1 200')) return reject(new Error(head.toString('latin1')));
      countFrames(socket, head, onFrame);
      resolve(socket);
    });
  });
}

function countFrames(socket, head, onFrame) {
  let ordinal = 0;
  let tail = Buffer.alloc(0);
  const take = (chunk) => {
    // A mark may be cut in two, so the end of the last chunk is searched again.
    const bytes = tail.length === 0 ? chunk : Buffer.concat([tail, chunk]);
    let end = 0;
    for (let at = bytes.indexOf(frameMark); at !== -1; at = bytes.indexOf(frameMark, end)) {
      end = at + frameMark.length;
      onFrame(ordinal);
      ordinal += 1;
    }
    tail = bytes.subarray(Math.max(end, bytes.length - frameMark.length + 1));
  };
  take(head);
  socket.on('data', take);
}
