/**
 * Kinds of servers that no client can rely on. Each accepts a connection and breaks a rule of TCP, TLS, HTTP or good
 * manners.
 * Source: RFC 9110, section 15.2 (informational answers, 101); RFC 9112, sections 2, 4, 6, 7 and 9 (status lines,
 * lengths, chunks, connections); RFC 8446, section 2 (handshake); RFC 9113, section 3.4 (the preface of HTTP/2).
 */
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';

/** Called with each piece that the client sends; `piece` counts from 1. */
type Answer = (socket: Socket, piece: number, url: string) => void;

/** The behaviour on a connection: after the client's first bytes, or from the start for kinds that do not wait for any. */
export interface Impoliteness {
  readonly scheme?: 'https';
  /** Called when the connection opens. */
  readonly greet?: (socket: Socket) => void;
  readonly answer?: Answer;
}

const dripEveryMs = 20;
const json = 'content-type: application/json\r\n';
const events = 'content-type: text/event-stream\r\n';
const ok = `HTTP/1.1 200 OK\r\n${json}`;
/** For kinds whose answer is complete: otherwise the client may keep the connection. */
const last = 'connection: close\r\n';
const flood = Buffer.alloc(64 * 1024, 'x');
/** 64 MiB of spaces, in as many gzip members: more than any answer may hold. */
const bomb = Buffer.concat(new Array<Buffer>(64).fill(gzipSync(Buffer.alloc(1024 * 1024, ' '))));

/** Sends a text once. */
const say =
  (text: string): Answer =>
  (socket, piece) =>
    void (piece === 1 && socket.write(text, 'latin1'));

/** Sends a text, and then a little more at intervals, without end. */
const drip =
  (text: string, more: string): Answer =>
  (socket, piece) => {
    if (piece > 1) return;
    socket.write(text, 'latin1');
    const timer = setInterval(() => void socket.write(more, 'latin1'), dripEveryMs);
    socket.once('close', () => clearInterval(timer));
  };

/**
 * Sends a text, and then 64 KiB each millisecond, only as fast as the client reads: more would fill the test's own
 * memory.
 */
const pour =
  (text: string, more: Buffer): Answer =>
  (socket, piece) => {
    if (piece > 1) return;
    socket.write(text, 'latin1');
    const next = (): void => void (socket.destroyed || socket.write(more, () => setTimeout(next, 1)));
    next();
  };

const reset = (socket: Socket): void => void socket.resetAndDestroy();

export const impoliteKinds = {
  'accepts, and says nothing': {},
  'ends at once': { greet: (socket) => void socket.end() },
  'resets at once': { greet: reset },
  'speaks before it is asked': { greet: (socket) => void socket.write(`${ok}content-length: 2\r\n\r\n{}`.repeat(2)) },
  'ends without an answer': { answer: (socket) => void socket.end() },
  'resets without an answer': { answer: reset },
  'half-closes, and goes on listening': { answer: (socket, piece) => void (piece === 1 && socket.end()) },
  'switches protocols': {
    answer: say('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n'),
  },
  'switches protocols, to none': { answer: say('HTTP/1.1 101 Switching Protocols\r\n\r\n') },
  'says continue, and no more': { answer: say('HTTP/1.1 100 Continue\r\n\r\n') },
  'informs without end': { answer: drip('', 'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n') },
  'drips its status line': { answer: drip('HTTP/1.1 200 ', 'O') },
  'drips its head': { answer: drip(ok, 'x: y\r\n') },
  'has an endless head': { answer: pour(ok, Buffer.from(`x: ${'y'.repeat(1_000)}\r\n`)) },
  'speaks no HTTP': { answer: (socket) => void socket.end('SSH-2.0-OpenSSH_9.6\r\n') },
  'speaks HTTP/2': { answer: say('\0\0\0\x04\0\0\0\0\0') },
  'has a status that is none': { answer: say('HTTP/1.1 999999 Well\r\ncontent-length: 0\r\n\r\n') },
  'has two lengths': { answer: say(`${ok}content-length: 2\r\ncontent-length: 3\r\n\r\n{}`) },
  'sends less than it said': { answer: (socket) => void socket.end(`${ok}content-length: 999\r\n\r\n{`) },
  'sends more than it said': { answer: say(`${ok}content-length: 2\r\n\r\n{}${'x'.repeat(100)}`) },
  'stops in its body': { answer: say(`${ok}content-length: 999\r\n\r\n{`) },
  'resets in its body': {
    answer: (socket, piece) =>
      void (piece === 1 && socket.write(`${ok}content-length: 999\r\n\r\n{`, () => reset(socket))),
  },
  'drips its body': { answer: drip(`${ok}transfer-encoding: chunked\r\n\r\n1\r\n{\r\n`, '1\r\n \r\n') },
  'pours its body': { answer: pour(`${ok}\r\n{"x":"`, flood) },
  'drips a stream of events': { answer: drip(`HTTP/1.1 200 OK\r\n${events}\r\n`, 'data') },
  'pours one event': { answer: pour(`HTTP/1.1 200 OK\r\n${events}\r\ndata: `, flood) },
  'has a chunk that is none': { answer: say(`${ok}transfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n`) },
  'drips its trailers': { answer: drip(`${ok}transfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n`, 'x: y\r\n') },
  'packs a great deal': {
    answer: (socket, piece) => {
      if (piece > 1) return;
      socket.write(`${ok}${last}content-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`);
      socket.write(bomb);
    },
  },
  'says gzip, and sends none': { answer: say(`${ok}${last}content-encoding: gzip\r\ncontent-length: 2\r\n\r\n{}`) },
  'redirects to itself': {
    answer: (socket, _, url) =>
      void socket.write(`HTTP/1.1 307 Again\r\n${last}location: ${url}\r\ncontent-length: 0\r\n\r\n`),
  },
  'refuses, with a body that never ends': { answer: drip(`HTTP/1.1 503 Away\r\n${json}\r\n{"x":"`, 'x') },
  'never ends its handshake': { scheme: 'https' },
  'answers its handshake with junk': { scheme: 'https', answer: say('HTTP/1.1 400 Bad Request\r\n\r\n') },
} as const satisfies Readonly<Record<string, Impoliteness>>;

export type ImpoliteKind = keyof typeof impoliteKinds;
