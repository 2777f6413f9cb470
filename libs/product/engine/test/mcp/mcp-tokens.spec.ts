import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LoopbackMcp } from '@app/testing/mcp';
import type { McpServers } from '../../src/mcp/mcp-servers';
import { calling, serversOf } from './mcp-calls';

let folder: string;
let mcp: LoopbackMcp;
let servers: McpServers;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-tokens-'));
  mcp = await LoopbackMcp.start();
  mcp.tools = [{ name: 'look' }];
});
afterEach(async () => {
  await servers.onModuleDestroy();
  await mcp.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Lists the tools of the one server of MCP_SERVERS, over this transport. */
async function listed(way: object, limits: object = {}): Promise<void> {
  const transport = { type: 'http', url: mcp.url, ...way };
  servers = serversOf({ name: 'docs', transport, consent: 'auto', ...limits });
  await servers.onModuleInit();
}

describe('a token from a file', () => {
  it('is read for every request, so that it may be another one', async () => {
    const tokenFile = join(folder, 'token');
    const shown = new Set<unknown>();
    mcp.misbehave = ({ headers }) => shown.add(headers.authorization) === null;
    await writeFile(tokenFile, 'one\n');
    await listed({ tokenFile });
    await writeFile(tokenFile, 'two');
    expect(await calling(servers, 'docs_look', {})).toMatchObject({ outcome: 'ok' });
    expect([...shown]).toEqual(['Bearer one', 'Bearer two']);
  });

  it('that is not there keeps the server away until it is', async () => {
    const tokenFile = join(folder, 'token');
    await listed({ tokenFile });
    expect(servers.servers[0]?.isAway).toBe(true);
    await writeFile(tokenFile, 'one');
    await servers.look();
    expect(servers.servers[0]?.isAway).toBe(false);
  });
});

/**
 * Protects the server like those of the project's SDK, with an issuer of its own; returns the credentials that were presented.
 * @param isSilent whether the issuer does not answer, and its earlier tokens are no longer valid
 */
function protectedServer(isSilent = () => false): string[] {
  const { origin: issuer } = new URL(mcp.url);
  const shown: string[] = [];
  const json = (response: ServerResponse, body: object, status = 200) =>
    !!response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  mcp.misbehave = ({ url = '', headers }, response) => {
    if (url.startsWith('/.well-known/oauth-protected-resource'))
      return json(response, { resource: mcp.url, authorization_servers: [issuer] });
    if (url.startsWith('/.well-known/'))
      return json(response, {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        response_types_supported: ['code'],
        grant_types_supported: ['client_credentials'],
        token_endpoint_auth_methods_supported: ['client_secret_basic'],
      });
    if (url === '/token') {
      shown.push(Buffer.from((headers.authorization ?? '').slice('Basic '.length), 'base64').toString());
      if (isSilent()) return true;
      return json(response, { access_token: 'granted', token_type: 'Bearer', expires_in: 60 });
    }
    return (isSilent() || headers.authorization !== 'Bearer granted') && json(response, {}, 401);
  };
  return shown;
}

describe('credentials of a client', () => {
  const account = (issuer: string) => ({ clientCredentials: { issuer, clientId: 'parley', clientSecret: 'secret' } });

  it('get a token of the issuer', async () => {
    const shown = protectedServer();
    await listed(account(new URL(mcp.url).origin));
    expect(await calling(servers, 'docs_look', {})).toMatchObject({ outcome: 'ok' });
    expect(shown).toEqual(['parley:secret']);
  });

  it('are shown to no other issuer, whichever the server names', async () => {
    const shown = protectedServer();
    await listed(account('https://issuer.example'));
    expect([servers.servers[0]?.isAway, shown]).toEqual([true, []]);
  });

  it('and what they got go to no target of a redirect elsewhere', async () => {
    const other = await LoopbackMcp.start();
    const seen: unknown[] = [];
    other.misbehave = ({ url, headers, method }) => seen.push([method, url, headers.authorization]) > 0 && false;
    for (const redirected of ['/token', '/.well-known/oauth-authorization-server', '/mcp']) {
      const shown = protectedServer();
      const asUsual = mcp.misbehave;
      mcp.misbehave = (request, response, body) => {
        if (!request.url?.startsWith(redirected)) return asUsual(request, response, body);
        const location = new URL(request.url, other.url).href;
        return !!response.writeHead(request.method === 'GET' ? 302 : 307, { location }).end();
      };
      await listed(account(new URL(mcp.url).origin), { timeoutMs: 3000 });
      expect([redirected, servers.servers[0]?.isAway, shown, seen]).toEqual([redirected, true, [], []]);
      await servers.onModuleDestroy();
    }
    await other.stop();
  });

  it('are waited for no longer than a call may take, when the issuer says nothing', async () => {
    let isSilent = false;
    protectedServer(() => isSilent);
    await listed(account(new URL(mcp.url).origin), { timeoutMs: 3000 });
    isSilent = true;
    const error = 'outcome unknown: there was no answer within 3000 ms';
    expect(await calling(servers, 'docs_look', {})).toMatchObject({ outcome: 'error', result: { error } });
  });
});
