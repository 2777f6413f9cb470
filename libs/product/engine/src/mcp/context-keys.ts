import { createECDH, createHash, createPrivateKey, createPublicKey, hkdfSync, randomUUID } from 'node:crypto';
import type { JsonWebKey, KeyObject } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { mapHashToField } from '@noble/curves/abstract/modular';
import { secretKeysIn } from '@app/runtime';
import { Configuration } from '@app/settings';
import { constant, list, shape, text, type Shaped } from '@app/schema';
import { SignJWT } from 'jose';
import type { CallIds } from './connection';

const algorithm = 'ES256';
const lifeSeconds = 60;
const label = 'parley/context-signing/1';
/** One and a half times the key's length, so that no key is likelier than another (FIPS 186-5, A.2.1). */
const derivedBytes = 48;
/** The order of P-256's base point (FIPS 186-5; SP 800-186, 3.2.1.3). */
const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
/** 32 bytes in base64url. */
const base64Url = /^[A-Za-z0-9_-]{43}$/;

/** RFC 7517. */
export const ContextKeySet = shape('ContextKeySet', {
  keys: list(
    shape('ContextKey', {
      kty: constant('EC'),
      crv: constant('P-256'),
      alg: constant(algorithm),
      use: constant('sig'),
      kid: text({ pattern: base64Url, description: 'RFC 7638' }),
      x: text({ pattern: base64Url }),
      y: text({ pattern: base64Url }),
    }),
    { max: 8, description: 'The one that signs comes first' },
  ),
});
export type ContextKeySet = Shaped<typeof ContextKeySet>;
type ContextKey = ContextKeySet['keys'][number];

/**
 * The keys that sign for servers over HTTP whose call it is: CONTEXT_SIGNING_KEYS or, in a sandbox without them, one derived from each
 * entry of its secret key. That of the oldest entry signs, so that a newer entry in front changes nothing, and the key that signs once the
 * oldest is removed has been published since it was added.
 */
@Injectable()
export class ContextKeys {
  /** The public halves. */
  readonly published: ContextKeySet;
  private readonly signing: KeyObject | undefined;
  private readonly issuer: string;

  constructor(configuration: Configuration) {
    const { CONTEXT_SIGNING_KEYS: own, PARLEY_SECRET_KEY: secret } = configuration.env;
    const keys =
      own ??
      (secret === undefined || !configuration.sandbox ? [] : [...secretKeysIn(secret)].reverse().map(derivedKey));
    this.published = { keys: keys.map(publicHalf) };
    this.signing = keys[0];
    this.issuer = configuration.publicUrl;
  }

  /**
   * Signs a JSON Web Token for one request to a server. Its times are real time rather than the service clock's, because others verify them
   * by their own clocks.
   * @param server its name, which is the audience @throws Error where there is no key
   */
  async sign(server: string, ids: CallIds): Promise<string> {
    const [key] = this.published.keys;
    if (this.signing === undefined || key === undefined)
      throw new Error('CONTEXT_SIGNING_KEYS is needed to call MCP servers over HTTP');
    const issuedAt = Math.floor(Date.now() / 1000);
    return new SignJWT({ ...ids })
      .setProtectedHeader({ alg: algorithm, kid: key.kid, typ: 'JWT' })
      .setIssuer(this.issuer)
      .setSubject(ids['parley/userId'])
      .setAudience(server)
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + lifeSeconds)
      .setJti(randomUUID())
      .sign(this.signing);
  }
}

/** The public halves of the keys that sign whose call it is; the one that signs is the first. */
export class ReadContextKeys extends Query<ContextKeySet> {}

@QueryHandler(ReadContextKeys)
export class ReadContextKeysHandler implements IQueryHandler<ReadContextKeys> {
  constructor(private readonly keys: ContextKeys) {}

  execute(): Promise<ContextKeySet> {
    return Promise.resolve(this.keys.published);
  }
}

/** Derives a key by RFC 5869, so that every process of a sandbox has the same. */
function derivedKey(secret: Buffer): KeyObject {
  const bytes = hkdfSync('sha256', secret, '', label, derivedBytes);
  const scalar = mapHashToField(new Uint8Array(bytes), order);
  const curve = createECDH('prime256v1');
  curve.setPrivateKey(scalar);
  const point = curve.getPublicKey(); // a byte for the format, then both coordinates
  const [d, x, y] = [scalar, point.subarray(1, 33), point.subarray(33)].map(toBase64Url);
  // Reason for the assertion: the array has three members.
  return createPrivateKey({ key: { kty: 'EC', crv: 'P-256', d, x, y } as JsonWebKey, format: 'jwk' });
}

function toBase64Url(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64url');
}

function publicHalf(key: KeyObject): ContextKey {
  const { x = '', y = '' } = createPublicKey(key).export({ format: 'jwk' });
  // RFC 7638 hashes the members in this order.
  const kid = createHash('sha256')
    .update(JSON.stringify({ crv: 'P-256', kty: 'EC', x, y }))
    .digest('base64url');
  return { kty: 'EC', crv: 'P-256', alg: algorithm, use: 'sig', kid, x, y };
}
