import { spawn } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

/** A listener whose loop is blocked while its queue of connections is full: the kernel completes the next handshake after a second. */
const slowListener = `
  const server = require('node:net').createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end('HTTP/1.1 200 OK\\r\\ncontent-length: 0\\r\\nconnection: close\\r\\n\\r\\n'));
  });
  server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
    require('node:fs').writeSync(1, server.address().port + '\\n');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 700);
  });`;

/** An app that reaches the listener at a name with addresses of both families, of which only the first answers, and prints the outcomes. */
const app = `
  const { Agent, request } = require('node:http');
  const dns = require('node:dns');
  const net = require('node:net');
  const port = Number(process.argv[2]);
  const { lookup } = dns;
  dns.lookup = (name, options, done) => {
    if (name !== 'receiver.example') return lookup(name, options, done);
    const both = [{ address: '127.0.0.1', family: 4 }, { address: '::1', family: 6 }];
    return options.all ? done(null, both) : done(null, '127.0.0.1', 4);
  };
  const byAgent = () => new Promise((resolve, reject) => {
    const asked = request({ host: 'receiver.example', port, agent: new Agent({ keepAlive: true }) }, (response) =>
      resolve(response.resume().statusCode));
    asked.on('error', reject).end();
  });
  const byFetch = async () => (await fetch('http://receiver.example:' + port)).status;
  const fill = async () => {
    const sockets = Array.from({ length: 4 }, () => net.connect({ port, host: '127.0.0.1' }));
    for (const socket of sockets) socket.on('error', () => undefined);
    await new Promise((resolve) => sockets[0].once('connect', resolve));
    return sockets;
  };
  fill().then(async () => {
    const startedMs = performance.now();
    const outcomes = await Promise.allSettled([byAgent(), byFetch()]);
    const isSlow = performance.now() - startedMs > 300;
    const found = outcomes.map(({ value, reason }) => value ?? String(reason.cause ?? reason));
    console.log(JSON.stringify({ isSlow, outcomes: found }));
    process.exit();
  });`;

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'parley-handshakes-'))));
afterEach(() => rmSync(folder, { recursive: true }));

it('a receiver of both families is reached by every app although its handshake takes a second', async () => {
  const main = join(folder, 'main.js');
  copyFileSync(join(__dirname, '..', '..', 'scripts', 'app-main.cjs'), main);
  writeFileSync(join(folder, 'app.js'), app);
  const listener = spawn(process.execPath, ['-e', slowListener]);
  try {
    const port = await new Promise<string>((resolve) => listener.stdout.once('data', (line) => resolve(String(line))));
    const reaching = spawn(process.execPath, [main, port.trim()], { stdio: ['ignore', 'pipe', 'inherit'] });
    expect(JSON.parse(await text(reaching.stdout))).toEqual({ isSlow: true, outcomes: [200, 200] });
  } finally {
    listener.kill('SIGKILL');
  }
});
