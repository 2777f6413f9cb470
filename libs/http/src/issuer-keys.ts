import { Unavailable } from '@app/kernel';
import { isPlainObject } from './dto';

/** How long the issuer's documents are waited for, and how large each may be. */
const answerWithinMs = 5_000;
const documentBytesMax = 256 * 1024;
/** However many unknown key ids are asked for, the issuer is asked at most this often; a rotated key is found within it. */
const askAgainAfterMs = 5_000;

/**
 * An issuer's public keys, found through its OpenID discovery document (OpenID Connect Discovery 1.0, section 4).
 * The caller decides when it needs fresh ones; those fetched a moment ago are answered again.
 */
export class IssuerKeys {
  private latest: { readonly askedAtMs: number; readonly keys: Promise<JsonWebKeySet> } | null = null;

  constructor(private readonly issuer: string) {}

  get discoveryUrl(): string {
    return `${this.issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  }

  /** The issuer's JWKS, at most 5 s old. @throws Unavailable when the issuer does not answer, or not as an issuer does */
  fetch(): Promise<JsonWebKeySet> {
    const nowMs = performance.now();
    if (this.latest === null || nowMs - this.latest.askedAtMs > askAgainAfterMs) {
      const keys = this.ask();
      this.latest = { askedAtMs: nowMs, keys };
      // A failure is not kept: the next token asks again.
      keys.catch(() => {
        if (this.latest?.keys === keys) this.latest = null;
      });
    }
    return this.latest.keys;
  }

  private async ask(): Promise<JsonWebKeySet> {
    try {
      const discovery = await getJson(this.discoveryUrl);
      const jwksUri = discovery['jwks_uri'];
      if (discovery['issuer'] !== this.issuer || typeof jwksUri !== 'string') {
        throw new Error('the discovery document is not that of the configured issuer');
      }
      const { keys } = await getJson(jwksUri);
      if (!Array.isArray(keys)) throw new Error('the JWKS holds no keys');
      return { keys };
    } catch (error) {
      throw new Unavailable('identity provider', { cause: error });
    }
  }
}

export interface JsonWebKeySet {
  readonly keys: readonly unknown[];
}

async function getJson(url: string): Promise<Record<string, unknown>> {
  const response = await fetch(url, {
    headers: { accept: 'application/json' },
    redirect: 'error',
    signal: AbortSignal.timeout(answerWithinMs),
  });
  if (!response.ok || response.body === null) throw new Error(`${url} answered ${response.status}`);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body) {
    bytes += chunk.length;
    if (bytes > documentBytesMax) throw new Error(`${url} answered more than ${documentBytesMax} bytes`);
    chunks.push(chunk);
  }
  const document: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
  if (!isPlainObject(document)) throw new Error(`${url} answered no JSON object`);
  return document;
}
