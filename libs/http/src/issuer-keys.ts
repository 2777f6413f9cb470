import { KeyObject } from 'node:crypto';
import { isJsonObject, Unavailable } from '@app/kernel';
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWSHeaderParameters } from 'jose';

/** How long the issuer's documents are waited for, and how large each may be. */
const answerWithinMs = 5_000;
const documentBytesMax = 256 * 1024;
/** Keys that are older are asked for again, behind the requests that go on with them. */
const renewedAfterMs = 30_000;
/** Keys that are older are waited for, unless the issuer is away: so a key that it withdrew is believed no longer than this. */
const believedMs = 60_000;
/** However many unknown keys tokens name, the issuer is asked at most this often; a new key is found within it. */
const askAgainAfterMs = 5_000;
/** And when it did not answer. */
const tryAgainAfterMs = 1_000;

/** The public keys that an issuer published at one time. */
export interface IssuerKeySet {
  /** The key that a token with this header is signed with, or null. */
  keyFor(header: JWSHeaderParameters): Promise<KeyObject | null>;
}

export interface IssuerKeysOptions {
  /** Monotonic, in milliseconds. */
  readonly nowMs?: () => number;
  /** Told whenever the issuer did not answer as an issuer does. */
  readonly onTrouble?: (trouble: Unavailable) => void;
}

/**
 * An issuer's public keys, found through its OpenID discovery document (OpenID Connect Discovery 1.0, section 4). Each fetch replaces
 * all of them, and makes another set only when they changed. Those once fetched are believed as long as the issuer is away.
 */
export class IssuerKeys {
  private fetched: { readonly askedAtMs: number; readonly set: IssuerKeySet; readonly text: string } | null = null;
  private asking: Promise<void> | null = null;
  private lastAskedAtMs = Number.NEGATIVE_INFINITY;
  private trouble: Unavailable | null = null;
  private readonly nowMs: () => number;

  constructor(
    private readonly issuer: string,
    private readonly options: IssuerKeysOptions = {},
  ) {
    this.nowMs = options.nowMs ?? (() => performance.now());
  }

  /** The keys, without waiting; null when they have to be waited for. */
  known(): IssuerKeySet | null {
    if (this.fetched === null) return null;
    const ageMs = this.nowMs() - this.fetched.askedAtMs;
    if (ageMs > renewedAfterMs) void this.ask();
    return ageMs <= believedMs || this.trouble !== null ? this.fetched.set : null;
  }

  /** The keys, at most 60 s old unless the issuer is away. @throws Unavailable when it is, and was never there */
  async current(): Promise<IssuerKeySet> {
    const known = this.known();
    if (known !== null) return known;
    await this.ask();
    if (this.fetched !== null) return this.fetched.set;
    throw this.trouble ?? new Unavailable('identity provider');
  }

  /** The keys for a token of which `current` had none: asked for again, but not more often than once in 5 s. */
  async renewed(): Promise<IssuerKeySet> {
    await this.ask();
    return this.current();
  }

  /** Asks the issuer, unless it was asked a moment ago. Never rejects. */
  private ask(): Promise<void> {
    if (this.asking !== null) return this.asking;
    const askedAtMs = this.nowMs();
    if (askedAtMs - this.lastAskedAtMs < (this.trouble === null ? askAgainAfterMs : tryAgainAfterMs)) {
      return Promise.resolve();
    }
    this.lastAskedAtMs = askedAtMs;
    this.asking = this.replace(askedAtMs).finally(() => (this.asking = null));
    return this.asking;
  }

  private async replace(askedAtMs: number): Promise<void> {
    try {
      const jwks = await fetchKeys(this.issuer);
      const text = JSON.stringify(jwks.keys.map((key) => JSON.stringify(key)).sort());
      const set = this.fetched?.text === text ? this.fetched.set : keySetOf(jwks);
      this.fetched = { askedAtMs, set, text };
      this.trouble = null;
    } catch (error) {
      this.trouble = new Unavailable('identity provider', { cause: error });
      this.options.onTrouble?.(this.trouble);
    }
  }
}

function keySetOf(jwks: JSONWebKeySet): IssuerKeySet {
  const find = createLocalJWKSet(jwks);
  return {
    keyFor: async (header) => {
      try {
        return KeyObject.from(await find(header));
      } catch (error) {
        // No key, or several that would do: a key that cannot be read is another matter.
        if (error instanceof errors.JOSEError) return null;
        throw error;
      }
    },
  };
}

async function fetchKeys(issuer: string): Promise<JSONWebKeySet> {
  const discovery = await getJson(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);
  const jwksUri = discovery['jwks_uri'];
  if (discovery['issuer'] !== issuer || typeof jwksUri !== 'string') {
    throw new Error('the discovery document is not that of the configured issuer');
  }
  const { keys } = await getJson(jwksUri);
  if (!Array.isArray(keys) || !keys.every(isJsonObject)) throw new Error('the JWKS holds no keys');
  return { keys };
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
  if (!isJsonObject(document)) throw new Error(`${url} answered no JSON object`);
  return document;
}
