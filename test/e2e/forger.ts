import { Issuer } from '@app/sandbox';
import { exportSPKI, importJWK, SignJWT, type JWK, type JWTPayload } from 'jose';
import type { TestClient } from '@app/testing/client';
import type { Deployment } from '@app/testing/deployment';
import { partOf, sql } from '@app/testing/journeys';

type Forgery = 'genuine' | 'none' | 'HS256' | 'unknown kid' | 'altered';

/** Makes a token with these claims over the usual ones; `undefined` leaves a claim out. */
export type Forge = (claims: Partial<Record<keyof JWTPayload, unknown>>, how?: Forgery) => Promise<string>;

/** Makes tokens with the deployment's own key, or as a forger would. The issuer is read from a genuine token of the user. */
export async function forger(deployment: Deployment, user: TestClient): Promise<Forge> {
  const [row] = await sql<{ value: JWK }>(deployment, `SELECT value FROM sandbox_state WHERE name = 'issuer_key'`);
  const { kid = '', x = '', y = '', d = '' } = row?.value ?? {};
  const privateKey = await importJWK({ kty: 'EC', crv: 'P-256', x, y, d }, 'ES256');
  const publicKey = await importJWK({ kty: 'EC', crv: 'P-256', x, y }, 'ES256', { extractable: true });
  const [publicJwk] = partOf(deployment, Issuer).jwks().keys;
  expect(publicJwk?.kid).toBe(kid);
  const { iss } = claimsOf(user.token);
  return async (claims, how = 'genuine') => {
    const now = Math.floor(Date.now() / 1000);
    // Reason for the assertion: a forger's claims may be anything.
    const all = { iss, aud: 'parley', sub: 'forged', iat: now, exp: now + 600, ...claims } as JWTPayload;
    if (how === 'none') return `${encoded({ alg: 'none', typ: 'JWT' })}.${encoded(all)}.`;
    const signed = new SignJWT(all);
    if (how === 'HS256') {
      const pem = Buffer.from(await exportSPKI(publicKey));
      return signed.setProtectedHeader({ alg: 'HS256', kid }).sign(pem);
    }
    const token = await signed
      .setProtectedHeader({ alg: 'ES256', kid: how === 'unknown kid' ? 'other' : kid })
      .sign(privateKey);
    if (how !== 'altered') return token;
    const [header, , signature] = token.split('.');
    return `${header}.${encoded({ ...all, sub: 'someone else' })}.${signature}`;
  };
}

function encoded(json: object): string {
  return Buffer.from(JSON.stringify(json)).toString('base64url');
}

function claimsOf(token: string): JWTPayload {
  // Reason for the assertion: the payload of a token that the service minted.
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as JWTPayload;
}
