import { readFile } from 'node:fs/promises';
import { ClientCredentialsProvider, PrivateKeyJwtProvider } from '@modelcontextprotocol/client';
import type { AuthProvider, OAuthClientProvider } from '@modelcontextprotocol/client';
import type { McpClientCredentials, McpTransport } from '@app/settings';
import { McpFailed } from './connection';

/**
 * Returns how requests to a server are authorized in addition to its headers: by a token from a file, or by one that the issuer grants for
 * the client's credentials. When the server refuses a token, a new one is requested. Null when neither is configured. Rejects with
 * McpFailed when the file cannot be read.
 */
export async function authProviderOf(
  transport: Extract<McpTransport, { readonly type: 'http' }>,
): Promise<AuthProvider | OAuthClientProvider | null> {
  const { tokenFile, clientCredentials } = transport;
  if (tokenFile !== undefined) return { token: () => textIn(tokenFile) };
  return clientCredentials === undefined ? null : grantOf(clientCredentials);
}

async function grantOf(credentials: McpClientCredentials): Promise<OAuthClientProvider> {
  const { issuer, clientId, clientSecret, clientSecretFile, privateKeyFile, algorithm = 'ES256', scope } = credentials;
  const account = { clientId, clientName: 'parley', expectedIssuer: issuer, ...(scope !== undefined && { scope }) };
  if (privateKeyFile !== undefined)
    return new PrivateKeyJwtProvider({ ...account, algorithm, privateKey: await textIn(privateKeyFile) });
  const secret = clientSecretFile === undefined ? clientSecret : await textIn(clientSecretFile);
  if (secret === undefined) throw new TypeError('configuration has let credentials without a secret pass');
  return new ClientCredentialsProvider({ ...account, clientSecret: secret });
}

/** Reads a file, without the end of line that editors add. */
async function textIn(path: string): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (error) {
    throw new McpFailed('unauthorized', `a file with credentials cannot be read: ${String(error)}`);
  }
}
