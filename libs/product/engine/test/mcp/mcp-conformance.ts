import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isJsonObject } from '@app/kernel';
import { calling, serversOf } from './mcp-calls';

/** A scenario as the suite describes it to a client. */
export interface Scenario {
  readonly serverUrl: string;
  readonly context: {
    readonly client_id?: string;
    readonly client_secret?: string;
    readonly private_key_pem?: string;
    readonly signing_algorithm?: string;
  };
}

/**
 * Does with a server of the suite what the product does with the servers of its configuration: connects, lists, and calls every tool.
 * Returns the results of the calls; throws if the server could not be reached.
 */
export async function useAsConfigured({ serverUrl, context }: Scenario): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-conformance-'));
  const clientCredentials = await credentialsOf(serverUrl, context, join(folder, 'key.pem'));
  const transport = { type: 'http', url: serverUrl, ...(clientCredentials !== null && { clientCredentials }) };
  const servers = serversOf({ name: 'suite', consent: 'auto', transport });
  try {
    await servers.onModuleInit();
    if (servers.servers[0]?.isAway !== false) throw new Error('the server is away');
    const results = [];
    for (const { name, inputSchema } of servers.tools) {
      const input = inputOf(inputSchema['properties']);
      results.push({ name, ...(await calling(servers, name, input)) });
    }
    return JSON.stringify(results);
  } finally {
    await servers.onModuleDestroy();
    await rm(folder, { recursive: true, force: true });
  }
}

/** An operator knows the issuer; here the suite's server names it. */
async function credentialsOf(serverUrl: string, context: Scenario['context'], keyFile: string): Promise<object | null> {
  const {
    client_id: clientId,
    client_secret: clientSecret,
    private_key_pem: key,
    signing_algorithm: algorithm,
  } = context;
  if (clientId === undefined) return null;
  const { origin, pathname } = new URL(serverUrl);
  const answer: unknown = await (await fetch(`${origin}/.well-known/oauth-protected-resource${pathname}`)).json();
  const issuers = isJsonObject(answer) ? answer['authorization_servers'] : null;
  const issuer: unknown = Array.isArray(issuers) ? issuers[0] : null;
  if (key === undefined) return { issuer, clientId, clientSecret };
  await writeFile(keyFile, key);
  return { issuer, clientId, privateKeyFile: keyFile, algorithm };
}

/** A number for every number that the tool takes; the suite's tools take nothing else. */
function inputOf(properties: unknown): Record<string, number> {
  const names = isJsonObject(properties) ? Object.keys(properties) : [];
  return Object.fromEntries(names.map((name, index) => [name, index + 2]));
}
