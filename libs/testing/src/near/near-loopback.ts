import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { NearChain } from './near-chain';
import { nearNode, viewContract, type ContractViews } from './near-node';
import { QuoteSigner, wrongRequest, type QuoteAnswer, type QuoteRequest, type WireQuote } from './near-quotes';
import type { WireSigned } from './near-signatures';

/** Answered as JSON; a text is sent unchanged, `lost` closes the connection, and `silence` leaves it open. */
type Reply = { readonly status: number; readonly body: object | string } | 'lost' | 'silence';
type Body = Readonly<Record<string, unknown>>;

/** The key that the relay requires. */
export const relayKey = 'key-for-the-loopback-relay';
/** The token that 1Click accepts; without any it answers as well. */
export const oneClickKey = 'key-for-the-loopback-1click';

const bodyBytesMax = 1024 * 1024;

/**
 * A server on 127.0.0.1 that speaks 1Click, the solver relay and a NEAR node's JSON-RPC, and refuses what they refuse:
 * a quote without its required members, another method or content type, a relay's call without a key, another token for
 * 1Click.
 *
 * Source: docs.near-intents.org, "Request a swap quote" (1Click, version 0) and "Message Bus", "RPC" (the relay wants a
 * key); docs.near.org, "RPC"; JSON-RPC 2.0, "Request object".
 */
export class NearLoopback {
  /** Empty before it listens. */
  url = '';
  /** The requests, newest last: methods of JSON-RPC, and method and path of the others. */
  readonly asked: string[] = [];
  /** If set and not null for a request, it is answered with this text and status 200. */
  instead: ((asked: string) => string | null) | null = null;
  /** Changes a quote before it is signed. */
  quoteChange: (answer: QuoteAnswer) => QuoteAnswer = (answer) => answer;
  /** Whether a request is executed but never answered: the connection stays open without data. */
  mute: (asked: string) => boolean = () => false;
  private readonly quotes = new QuoteSigner();
  /** The public key for the quotes, as `ed25519:` and base58. */
  readonly quoteKey = this.quotes.publicKey;
  private readonly server = createServer((request, response) => void this.serve(request, response));

  constructor(
    private readonly chain: NearChain,
    private readonly views: ContractViews,
  ) {}

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    // Reason for the assertion: it listens on a port.
    this.url = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  stop(): Promise<void> {
    return new Promise((resolve) => {
      this.server.close(() => resolve());
      this.server.closeAllConnections();
    });
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      send(response, await this.answer(request).catch((error: unknown) => ({ status: 500, body: String(error) })));
    } catch {
      response.destroy();
    }
  }

  private async answer(request: IncomingMessage): Promise<Reply> {
    const text = await bodyOf(request);
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    const refused = refusalOf(request, url.pathname, text);
    if (refused !== null) return refused;
    const body = (text === '' ? {} : JSON.parse(text)) as Body;
    const name = typeof body['method'] === 'string' ? body['method'] : `${request.method} ${url.pathname}`;
    this.asked.push(name);
    const instead = this.instead?.(name) ?? null;
    if (instead !== null) return { status: 200, body: instead };
    if ((await this.chain.ledger.faults.current()).down) return { status: 503, body: { message: 'down' } };
    const reply = await this.done(url, body, text, name);
    return this.mute(name) ? 'silence' : reply;
  }

  private async done(url: URL, body: Body, text: string, name: string): Promise<Reply> {
    const { chain, views } = this;
    const isRpc = url.pathname === '/near' || url.pathname === '/relay';
    if (isRpc && (body['jsonrpc'] !== '2.0' || body['id'] === undefined)) return rpcError(body, -32600);
    if (url.pathname === '/near') return rpc(body, await nearNode(chain, views, body));
    if (url.pathname === '/relay') return relay(chain, body, text);
    if (name === 'POST /v0/quote')
      return quoted(chain, body, (request, quote) => this.quotes.answer(request, quote, this.quoteChange));
    return oneClick(chain, name, body, url.searchParams);
  }
}

/** @param views answers the contract's views, if that is not the double */
export async function startNearLoopback(
  chain: NearChain,
  views: ContractViews = (method, args) => viewContract(chain, method, args),
): Promise<NearLoopback> {
  const loopback = new NearLoopback(chain, views);
  await loopback.listen();
  return loopback;
}

async function quoted(
  chain: NearChain,
  body: Body,
  answer: (request: QuoteRequest, quote: WireQuote) => QuoteAnswer,
): Promise<Reply> {
  const wrong = wrongRequest(body);
  if (wrong !== null) return badRequest(wrong);
  // Reason for the assertion: every member was checked.
  const request = body as unknown as QuoteRequest;
  const quote = await chain.swaps.quote(request);
  return quote === null ? badRequest('no quote') : { status: 201, body: answer(request, quote) };
}

async function oneClick(chain: NearChain, name: string, body: Body, query: URLSearchParams): Promise<Reply> {
  switch (name) {
    case 'POST /v0/generate-intent': {
      const intent =
        body['type'] === 'swap_transfer' && body['standard'] === 'nep413' ? chain.swaps.intentFor(body) : null;
      return intent === null ? badRequest('no such quote') : { status: 201, body: { intent, correlationId: 'x' } };
    }
    case 'GET /v0/tokens':
      return { status: 200, body: await tokens(chain) };
    case 'GET /v0/status': {
      const swap = await chain.swaps.swap(query.get('depositAddress') ?? '');
      return swap === null ? { status: 404, body: { message: 'no such deposit' } } : { status: 200, body: swap };
    }
    case 'POST /v0/deposit/submit':
      return { status: 200, body: { status: 'KNOWN_DEPOSIT_TX' } };
    default:
      return { status: 404, body: { message: name } };
  }
}

/** Returns prices as JSON numbers with all their digits. */
async function tokens(chain: NearChain): Promise<string> {
  const { tokens: listed } = await chain.ledger.market.look();
  const items = listed.map(({ tokenId, symbol, decimals, priceUsdDecimal }) => {
    const members = JSON.stringify({ assetId: tokenId, symbol, decimals, blockchain: 'near', contractAddress: 'x' });
    return `${members.slice(0, -1)},"price":${priceUsdDecimal ?? 'null'}}`;
  });
  return `[${items.join(',')}]`;
}

async function relay(chain: NearChain, body: Body, text: string): Promise<Reply> {
  if (body['method'] === 'publish_intents') return publishAll(chain, body);
  if (body['method'] !== 'get_status' && body['method'] !== 'publish_intent') return rpcError(body, -32601);
  const [params] = body['params'] as [{ readonly signed_data: WireSigned; readonly intent_hash: string }];
  if (body['method'] === 'get_status') return rpc(body, { result: await chain.relayStatus(params.intent_hash) });
  const fault = await chain.fault();
  if (fault === 'timeout_before_accept') return 'lost';
  const result = await chain.publish(params.signed_data, text);
  const lost = result.status === 'OK' && (fault === 'timeout_after_accept' || fault === 'not_found_first');
  return lost ? 'lost' : rpc(body, { result });
}

/** Submits one after the other, up to the first that is refused; the relay itself submits them in one transaction. */
async function publishAll(chain: NearChain, body: Body): Promise<Reply> {
  const [{ signed_datas: signed }] = body['params'] as [{ readonly signed_datas: readonly WireSigned[] }];
  const hashes: string[] = [];
  for (const one of signed) {
    const answer = await chain.publish(one, JSON.stringify(one));
    hashes.push(answer.intent_hash);
    if (answer.status === 'FAILED') return rpc(body, { result: { ...answer, intent_hashes: hashes } });
  }
  return rpc(body, { result: { status: 'OK', intent_hashes: hashes } });
}

function rpc({ id }: Body, answer: object): Reply {
  return { status: 200, body: { jsonrpc: '2.0', id, ...answer } };
}

function rpcError({ id = null }: Body, code: number): Reply {
  return { status: 200, body: { jsonrpc: '2.0', id, error: { code, message: 'refused' } } };
}

/** Returns the refusal of a request that fails before its body is read; null if it does not. */
function refusalOf({ method, headers }: IncomingMessage, path: string, text: string): Reply | null {
  const isRpc = path === '/near' || path === '/relay';
  if (isRpc && method !== 'POST') return { status: 405, body: { message: 'method not allowed' } };
  if (text !== '' && headers['content-type']?.split(';')[0] !== 'application/json')
    return { status: 415, body: { message: 'unsupported media type' } };
  const key = headers['x-api-key'];
  const isKeyless = path === '/relay' && key !== relayKey;
  const isWrong = path.startsWith('/v0/') && key !== undefined && key !== oneClickKey;
  return isKeyless || isWrong ? { status: 401, body: { message: 'unauthorized' } } : null;
}

function badRequest(message: string): Reply {
  return { status: 400, body: { message } };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    if (chunks.reduce((sum, { length }) => sum + length, 0) > bodyBytesMax) throw new Error('too long');
  }
  return Buffer.concat(chunks).toString('utf8');
}

function send(response: ServerResponse, reply: Reply): void {
  if (reply === 'silence') return;
  if (reply === 'lost') {
    response.destroy();
    return;
  }
  const { status, body } = reply;
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}
