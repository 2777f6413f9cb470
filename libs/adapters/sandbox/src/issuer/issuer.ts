import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock, instantOf } from '@app/kernel';
import { Database } from '@app/read-store';
import { Configuration } from '@app/settings';
import { constant, instant, list, shape, text, type Shaped } from '@app/schema';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, SignJWT } from 'jose';

const algorithm = 'ES256';
/** 32 bytes in base64url. */
const coordinate = /^[A-Za-z0-9_-]{43}$/;

export const MintedToken = shape('MintedToken', {
  accessToken: text({ description: 'A JSON Web Token of the built-in issuer, signed with ES256' }),
  expiresAt: instant({ description: 'By the service clock' }),
});
export type MintedToken = Shaped<typeof MintedToken>;

/** OpenID Connect Discovery 1.0, as far as a verifier of access tokens needs it. */
export const IssuerDiscovery = shape('IssuerDiscovery', {
  issuer: text({ format: 'uri' }),
  jwks_uri: text({ format: 'uri' }),
  response_types_supported: list(text()),
  subject_types_supported: list(text()),
  id_token_signing_alg_values_supported: list(text()),
});
export type IssuerDiscovery = Shaped<typeof IssuerDiscovery>;

/** RFC 7517. */
export const IssuerKeys = shape('IssuerKeys', {
  keys: list(
    shape('IssuerKey', {
      kty: constant('EC'),
      crv: constant('P-256'),
      alg: constant(algorithm),
      use: constant('sig'),
      kid: text({ description: 'RFC 7638' }),
      x: text({ pattern: coordinate }),
      y: text({ pattern: coordinate }),
    }),
    { min: 1, max: 1 },
  ),
});
export type IssuerKeys = Shaped<typeof IssuerKeys>;

/** The members of a P-256 key, as named in RFC 7518 section 6.2; `d` is the private one. */
interface StoredKey {
  readonly kid: string;
  readonly x: string;
  readonly y: string;
  readonly d: string;
}

/**
 * The sandbox's own OpenID issuer. Its key is made once for a deployment and shared by all its processes; times in its
 * tokens are the service clock's (docs/decisions/sandbox.md).
 */
@Injectable()
export class Issuer implements OnModuleInit {
  private key: StoredKey | null = null;

  constructor(
    private readonly database: Database,
    private readonly configuration: Configuration,
    private readonly clock: Clock,
  ) {}

  /** Makes the deployment's key if there is none yet, and reads it. */
  async onModuleInit(): Promise<void> {
    await this.database.query(
      `INSERT INTO sandbox_state (name, value) VALUES ('issuer_key', $1) ON CONFLICT (name) DO NOTHING`,
      [JSON.stringify(await newKey())],
    );
    const [row] = await this.database.query<{ value: StoredKey }>(
      `SELECT value FROM sandbox_state WHERE name = 'issuer_key'`,
    );
    this.key = row?.value ?? null;
  }

  /** The OpenID discovery document. */
  discovery(): IssuerDiscovery {
    const { sandboxIssuer: issuer } = this.configuration;
    return {
      issuer,
      jwks_uri: `${issuer}/jwks`,
      response_types_supported: ['token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: [algorithm],
    };
  }

  /** The public key as a JSON Web Key Set. */
  jwks(): IssuerKeys {
    const { kid, x, y } = this.present();
    return { keys: [{ kty: 'EC', crv: 'P-256', alg: algorithm, use: 'sig', kid, x, y }] };
  }

  /** A user's access token. */
  async userToken(subject: string, lifeSeconds: number): Promise<MintedToken> {
    const {
      OIDC_AUDIENCE: [audience = ''],
      OIDC_AUDIENCE_CLAIM: claim,
    } = this.configuration.env;
    return this.mint({ subject, claims: { [claim]: audience }, lifeSeconds });
  }

  /** An operator's access token, with these scopes. */
  async operatorToken(subject: string, scopes: readonly string[], lifeSeconds: number): Promise<MintedToken> {
    const claims = { aud: this.configuration.env.OPERATOR_AUDIENCE, scope: scopes.join(' ') };
    return this.mint({ subject, claims, lifeSeconds });
  }

  private async mint(token: { subject: string; claims: Readonly<Record<string, string>>; lifeSeconds: number }) {
    const { kid, x, y, d } = this.present();
    const issuedAt = Math.floor(this.clock.epochMs() / 1000);
    const expiresAt = issuedAt + token.lifeSeconds;
    const accessToken = await new SignJWT({ ...token.claims })
      .setProtectedHeader({ alg: algorithm, kid, typ: 'JWT' })
      .setIssuer(this.configuration.sandboxIssuer)
      .setSubject(token.subject)
      .setIssuedAt(issuedAt)
      .setExpirationTime(expiresAt)
      .sign(await importJWK({ kty: 'EC', crv: 'P-256', x, y, d }, algorithm));
    return { accessToken, expiresAt: instantOf(expiresAt * 1000) };
  }

  private present(): StoredKey {
    if (this.key === null) throw new Error('the issuer has no key: it was not initialized');
    return this.key;
  }
}

async function newKey(): Promise<StoredKey> {
  const { privateKey } = await generateKeyPair(algorithm, { extractable: true });
  const { x, y, d } = await exportJWK(privateKey);
  if (x === undefined || y === undefined || d === undefined) throw new Error('the new key lacks a coordinate');
  return { kid: await calculateJwkThumbprint({ kty: 'EC', crv: 'P-256', x, y }), x, y, d };
}
