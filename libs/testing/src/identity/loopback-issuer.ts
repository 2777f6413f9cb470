import { constants, KeyObject, sign, type SignKeyObjectInput } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, exportSPKI, generateKeyPair } from 'jose';

interface SigningKey {
  readonly kid: string;
  readonly alg: string;
  readonly privateKey: CryptoKey;
  readonly publicKey: CryptoKey;
}

/**
 * An OpenID issuer on a loopback port: its discovery document, its keys, and any token that it signs.
 *
 * Source: OpenID Connect Discovery 1.0, section 4; RFC 7517 (keys); RFC 7518 (algorithms).
 */
export class LoopbackIssuer {
  away = false;
  requests = 0;
  /** The issuer that its discovery document names; by default itself. */
  claimsToBe: string | undefined;
  /** Keys that it publishes in addition to those that it signs with. */
  otherKeys: readonly object[] = [];
  private server: Server;
  private keys: SigningKey[] = [];
  private port = 0;

  /** @param path path of the issuer, used exactly as given; @param jwksPath path of its keys, below the root */
  constructor(
    private readonly path = '/issuer',
    private readonly jwksPath = `${path}/jwks`,
  ) {}

  get origin(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get issuer(): string {
    return this.origin + this.path;
  }

  get jwksUri(): string {
    return this.origin + this.jwksPath;
  }

  async start(): Promise<void> {
    await this.rotate('first');
    this.server = createServer((request, response) => {
      this.requests += 1;
      if (this.away) return void response.writeHead(502).end('nope');
      void this.document(request.url ?? '').then((body) =>
        body === null ? response.writeHead(404).end() : response.end(JSON.stringify(body)),
      );
    });
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    this.port = (this.server.address() as AddressInfo).port; // reason: it listens on a port
  }

  async rotate(kid: string, alg = 'ES256'): Promise<void> {
    this.keys = [{ kid, alg, ...(await generateKeyPair(alg, { extractable: true })) }];
  }

  /** @param claims replace the usual ones; an undefined one is left out */
  async token(
    claims: Readonly<Record<string, unknown>> = {},
    header: Readonly<Record<string, unknown>> = {},
  ): Promise<string> {
    const now = Math.floor(Date.now() / 1000);
    const all = { iss: this.issuer, aud: 'parley', sub: 'alice', iat: now, exp: now + 3600, ...claims };
    const { alg, kid } = this.signingKey;
    return this.signed({ alg, kid, ...header }, all);
  }

  /** Returns a token with exactly these members, signed with the current key. */
  signed(header: object, claims: object): string {
    const { alg, privateKey } = this.signingKey;
    // Written by hand, because the library would not write every header that a test needs.
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const text = `${part(header)}.${part(claims)}`;
    const hash = alg === 'EdDSA' ? null : `sha${alg.slice(2)}`;
    return `${text}.${sign(hash, Buffer.from(text), signingInput(alg, privateKey)).toString('base64url')}`;
  }

  async publicPem(): Promise<string> {
    return exportSPKI(this.signingKey.publicKey);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private get signingKey(): SigningKey {
    const [key] = this.keys;
    if (key === undefined) throw new Error('the issuer was not started');
    return key;
  }

  private async document(url: string): Promise<object | null> {
    if (url === `${this.path.replace(/\/$/, '')}/.well-known/openid-configuration`)
      return { issuer: this.claimsToBe ?? this.issuer, jwks_uri: this.jwksUri };
    if (url !== this.jwksPath) return null;
    const keys = this.keys.map(async ({ kid, alg, publicKey }) => ({
      ...(await exportJWK(publicKey)),
      kid,
      alg,
      use: 'sig',
    }));
    return { keys: [...(await Promise.all(keys)), ...this.otherKeys] };
  }
}

function signingInput(alg: string, privateKey: CryptoKey): SignKeyObjectInput {
  const key = KeyObject.from(privateKey);
  if (alg.startsWith('PS'))
    return { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };
  return alg.startsWith('ES') ? { key, dsaEncoding: 'ieee-p1363' } : { key };
}
