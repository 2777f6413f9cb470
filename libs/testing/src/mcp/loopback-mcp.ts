import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import type { Server as McpServer } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { saying, toolServer, type ServedCall, type ServedTools } from './tool-server';

/** Answers a request in place of the protocol, as a broken server does; returns false to follow the protocol this time. */
export type Misbehaviour = (request: IncomingMessage, response: ServerResponse, body: string) => boolean;

/**
 * An MCP server on loopback, streamable HTTP by the official SDK. It forgets its sessions when it is started again.
 *
 * Source: MCP 2025-06-18, "Transports", as the project's own SDK for servers, @modelcontextprotocol/sdk 1.32.2,
 * enforces it on clients.
 */
export class LoopbackMcp implements ServedTools {
  tools: ServedTools['tools'] = [];
  answer: ServedTools['answer'] = () => saying('done');
  misbehave: Misbehaviour = () => false;
  readonly calls: ServedCall[] = [];
  private server: Server | null = null;
  private sessions = new Map<string, StreamableHTTPServerTransport>();
  private servers = new Set<McpServer>();

  private constructor(private port: number) {}

  static async start(): Promise<LoopbackMcp> {
    const loopback = new LoopbackMcp(0);
    await loopback.restart();
    return loopback;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/mcp`;
  }

  /** Stops if it is running, and starts again at the same address. */
  async restart(): Promise<void> {
    await this.stop();
    const server = createServer((request, response) => {
      // Some tests disconnect the client in the middle of a request.
      this.handle(request, response).catch(() => response.destroy());
    });
    server.listen(this.port, '127.0.0.1');
    await once(server, 'listening'); // or throws, if another process has taken the port meanwhile
    this.port = (server.address() as AddressInfo).port; // reason for the assertion: it listens on TCP
    this.server = server;
  }

  async stop(): Promise<void> {
    const { server } = this;
    this.server = null;
    this.sessions.clear();
    this.servers.clear();
    server?.closeAllConnections();
    await new Promise<void>((resolve) => (server === null ? resolve() : server.close(() => resolve())));
  }

  /** Notifies every client that the list of tools has changed, as servers do that add tools once a user has signed in. */
  async tellToolsChanged(): Promise<void> {
    await Promise.all([...this.servers].map((server) => server.sendToolListChanged()));
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const part of request) chunks.push(part as Buffer); // a request without encoding yields buffers
    const body = Buffer.concat(chunks).toString('utf8');
    if (this.misbehave(request, response, body)) return;
    const id = request.headers['mcp-session-id'];
    const session = typeof id === 'string' ? this.sessions.get(id) : await this.open();
    if (session === undefined) return void response.writeHead(404).end('no such session');
    await session.handleRequest(request, response, body === '' ? undefined : JSON.parse(body));
  }

  private async open(): Promise<StreamableHTTPServerTransport> {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void this.sessions.set(id, transport),
    });
    const answer = (call: ServedCall) => {
      this.calls.push(call);
      return this.answer(call);
    };
    const tools = () => this.tools;
    const server = toolServer({
      get tools() {
        return tools();
      },
      answer,
    });
    this.servers.add(server);
    await server.connect(transport);
    return transport;
  }
}
