import { isJsonObject, Unavailable } from '@app/kernel';
import { bodyWithin, fetchWithoutRedirects, settledWithin } from '@app/runtime';
import { createLocalJWKSet, type CryptoKey, type JSONWebKeySet, type JWSHeaderParameters } from 'jose';

/** Maximum size of each of the issuer's documents. */
const documentBytesMax = 256 * 1024;
/** Older keys are fetched again in the background, while requests continue with them. */
const renewedAfterMs = 30_000;
/** Older keys are fetched before they are used, unless the issuer is away: a withdrawn key is trusted no longer than this. */
const believedMs = 60_000;
/** While the issuer is away, keys are trusted this long (docs/decisions/configuration-and-start.md, "Identity providers"). */
const believedWhileAwayMs = 24 * 3_600_000;
/** The issuer is asked at most this often, however many unknown keys tokens name; a new key is found within this time. */
const askAgainAfterMs = 5_000;
/** The same after it did not answer. */
const tryAgainAfterMs = 1_000;
/** How long a readiness check waits for keys: less than the second that it may take. */
const stateWithinMs = 800;

/** The public keys that an issuer published at one time. */
export interface IssuerKeySet {
  /** The key with which a token of this header is signed, or null. */
  keyFor(header: JWSHeaderParameters): Promise<CryptoKey | null>;
}

/** The discovery document cannot be the issuer's: an error in the configuration, which waiting does not fix. */
export class UnfitIssuer extends Error {}

export interface IssuerKeysOptions {
  /** The environment variable that names the issuer; `OIDC_ISSUER` when absent. */
  readonly variable?: 'OIDC_ISSUER' | 'OPERATOR_ISSUER';
  /** Time limit for the issuer's documents, both together. */
  readonly timeoutMs: number;
  /** URL of the keys, if it is known without the discovery document. */
  readonly jwksUri?: string | undefined;
  /** Monotonic, in milliseconds. */
  readonly nowMs?: () => number;
  /** Called whenever the issuer did not answer as an issuer does. */
  readonly onTrouble?: (trouble: Unavailable) => void;
}

/**
 * An issuer's public keys, found through its OpenID discovery document (OpenID Connect Discovery 1.0, section 4). Each fetch replaces all
 * of them, and creates a new set only if they changed. Fetched keys are trusted for a day while the issuer is away.
 */
export class IssuerKeys {
  private fetched: { readonly askedAtMs: number; readonly set: IssuerKeySet; readonly text: string } | null = null;
  private asking: Promise<void> | null = null;
  private lastAskedAtMs = Number.NEGATIVE_INFINITY;
  private trouble: Unavailable | null = null;
  private readonly nowMs: () => number;

  constructor(
    readonly issuer: string,
    private readonly options: IssuerKeysOptions,
  ) {
    this.nowMs = options.nowMs ?? (() => performance.now());
  }

  /** The keys, without waiting; null if they must be fetched first. */
  cachedKeys(): IssuerKeySet | null {
    if (this.fetched === null) return null;
    const ageMs = this.ageMs();
    if (ageMs > renewedAfterMs) void this.ask();
    return ageMs <= (this.trouble === null ? believedMs : believedWhileAwayMs) ? this.fetched.set : null;
  }

  /** The keys, at most 60 s old unless the issuer is away. @throws Unavailable when it is away and last answered more than a day ago */
  async current(): Promise<IssuerKeySet> {
    const known = this.cachedKeys();
    if (known !== null) return known;
    await this.ask();
    const asked = this.cachedKeys();
    if (asked !== null) return asked;
    throw this.trouble ?? new Unavailable('identity provider');
  }

  /** Asks the issuer for the first time. An unreachable issuer is not an error, because it may return. @throws UnfitIssuer */
  async look(): Promise<void> {
    await this.ask();
    if (this.trouble?.cause instanceof UnfitIssuer) throw this.trouble.cause;
  }

  /** `away` while no token of the issuer can be verified, `degraded` while it does not answer; fetches old keys again. */
  async state(): Promise<'ok' | 'degraded' | 'away'> {
    if (this.cachedKeys() === null) await settledWithin([this.ask()], stateWithinMs);
    if (this.cachedKeys() !== null && this.trouble === null) return 'ok';
    return this.ageMs() <= believedWhileAwayMs ? 'degraded' : 'away';
  }

  /** The keys for a token whose key `current` did not contain: fetched again, but at most once in 5 s. */
  async refresh(): Promise<IssuerKeySet> {
    await this.ask();
    return this.current();
  }

  private ageMs(): number {
    return this.fetched === null ? Number.POSITIVE_INFINITY : this.nowMs() - this.fetched.askedAtMs;
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
      const jwks = await fetchKeys(this.issuer, this.options);
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
  // It rejects for no key, for several matching ones, and for an unreadable one: nothing can be verified in any of these cases.
  return { keyFor: (header) => find(header).catch(() => null) };
}

async function fetchKeys(issuer: string, options: IssuerKeysOptions): Promise<JSONWebKeySet> {
  const { jwksUri, timeoutMs, variable = 'OIDC_ISSUER' } = options;
  const signal = AbortSignal.timeout(timeoutMs);
  const { keys } = await getJson(jwksUri ?? (await discoveredUri(issuer, variable, signal)), signal);
  if (!Array.isArray(keys) || !keys.every(isJsonObject)) throw new Error('the JWKS holds no keys');
  return { keys };
}

/** URL of the keys, from a discovery document that must name this issuer (OpenID Connect Discovery 1.0, section 4.3). */
async function discoveredUri(issuer: string, variable: string, signal: AbortSignal): Promise<string> {
  const discovery = await getJson(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`, signal);
  const { issuer: named, jwks_uri: uri } = discovery;
  if (typeof named === 'string' && named !== issuer)
    throw new UnfitIssuer(
      `${variable} names ${issuer}, and the discovery document there is that of ${JSON.stringify(named.slice(0, 200))}: name the issuer exactly as its tokens do`,
    );
  if (named !== issuer || typeof uri !== 'string') throw new Error('this is no discovery document');
  if (issuer.startsWith('https:') && !uri.startsWith('https:'))
    throw new UnfitIssuer(
      `the discovery document of ${issuer} names keys that are not behind https://: name another issuer`,
    );
  return uri;
}

async function getJson(url: string, signal: AbortSignal): Promise<Record<string, unknown>> {
  const response = await fetchWithoutRedirects(url, { headers: { accept: 'application/json' }, signal });
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`${url} answered ${response.status}`);
  }
  const document: unknown = JSON.parse((await bodyWithin(response, documentBytesMax)).toString('utf8'));
  if (!isJsonObject(document)) throw new Error(`${url} answered no JSON object`);
  return document;
}
