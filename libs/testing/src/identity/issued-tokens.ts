/**
 * A token as a provider issues it, without the members that differ between deployments.
 *
 * Source: the page of the provider's documentation named with each.
 */
export interface IssuedToken {
  /** As the table of docs/production.md names the provider. */
  readonly provider: string;
  /** Members of the header in addition to `kid`. */
  readonly header: Readonly<Record<string, string>>;
  /** @param audience the value of OIDC_AUDIENCE; @param now in seconds */
  claims(issuer: string, audience: string, now: number): Readonly<Record<string, unknown>>;
  readonly subject: string;
  /** Other tokens of the same provider that must be refused: the claims that differ, and the cause of the refusal. */
  readonly others?: readonly {
    readonly claims: Readonly<Record<string, unknown>>;
    readonly cause: RegExp;
  }[];
  /** Keys in its JWKS that sign no tokens. */
  readonly otherKeys?: readonly object[];
}

const uuid = 'b2d8bc0e-30c1-70a1-4c9f-4a6d9c1b2f10';

/**
 * Access tokens of APIs, profile "Auth0" (auth0.com/docs/secure/tokens/access-tokens/access-token-profiles): `typ` is
 * JWT, `aud` lists the API and, with the scope openid, the endpoint of user information; the issuer ends in a slash.
 */
const auth0: IssuedToken = {
  provider: 'Auth0',
  header: { alg: 'RS256', typ: 'JWT' },
  subject: 'auth0|6543f0c2a1',
  claims: (iss, audience, now) => ({
    iss,
    sub: 'auth0|6543f0c2a1',
    aud: [audience, `${iss}userinfo`],
    azp: 'my_client_id',
    iat: now,
    exp: now + 86_400,
    scope: 'openid profile',
  }),
};

/** The same with the profile "RFC 9068": `at+jwt`, `client_id` in place of `azp`, and a `jti` (same page). */
const auth0Rfc9068: IssuedToken = {
  provider: 'Auth0',
  header: { alg: 'RS256', typ: 'at+jwt' },
  subject: 'auth0|6543f0c2a1',
  claims: (iss, audience, now) => ({
    ...auth0.claims(iss, audience, now),
    azp: undefined,
    client_id: 'my_client_id',
    jti: '73WakrfVbNJBaAmhQtEeDv',
  }),
};

/**
 * Access tokens of Keycloak 26 (phasetwo.io/tutorials/clients/audience; keycloak.org, "Server Administration",
 * "Audience support"): `aud` holds the values that mappers add, `account` in a new realm; the client is `azp`. Its JWKS
 * also holds a key for encryption.
 */
const keycloak: IssuedToken = {
  provider: 'Keycloak',
  header: { alg: 'RS256', typ: 'JWT' },
  subject: uuid,
  claims: (iss, audience, now) => ({
    exp: now + 300,
    iat: now,
    auth_time: now - 5,
    jti: 'onrtac:7b1a7c1e-7d52-4b0e-9a5f-0a8a3c3e7a55',
    iss,
    aud: [audience, 'account'],
    sub: uuid,
    typ: 'Bearer',
    azp: 'my-frontend',
    sid: '1f6c1d1e-5a3d-4f83-8f0d-1f8f8d2f4c77',
    acr: '1',
    'allowed-origins': ['https://app.example'],
    realm_access: { roles: ['default-roles-main', 'offline_access', 'uma_authorization'] },
    resource_access: { account: { roles: ['manage-account', 'view-profile'] } },
    scope: 'openid profile email',
    email_verified: true,
    preferred_username: 'ada',
  }),
  others: [{ claims: { aud: 'account' }, cause: /^its aud is "account", which OIDC_AUDIENCE does not name$/ }],
  otherKeys: [
    // Nothing is encrypted, so the numbers need not form a valid key.
    { kty: 'RSA', kid: 'the-other', alg: 'RSA-OAEP', use: 'enc', n: 'sXchDaQebHnPiGvyDOAT4saG', e: 'AQAB' },
  ],
};

/**
 * Access tokens of user pools (docs.aws.amazon.com, Cognito developer guide, "Understanding the access token"): the
 * header is `kid` and `alg` only, there is no `aud`, and `client_id` names the app client. ID tokens have `aud` and no
 * `client_id`.
 */
const cognito: IssuedToken = {
  provider: 'Amazon Cognito',
  header: { alg: 'RS256' },
  subject: uuid,
  claims: (iss, audience, now) => ({
    sub: uuid,
    device_key: 'us-east-1_2f7d1a60-0c4b-4f8e-9f5c-3a9f1d2b7c11',
    iss,
    version: 2,
    client_id: audience,
    origin_jti: 'aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee',
    event_id: '11111111-2222-3333-4444-555555555555',
    token_use: 'access',
    scope: 'openid profile',
    auth_time: now - 5,
    exp: now + 3600,
    iat: now,
    jti: '66666666-7777-8888-9999-000000000000',
    username: uuid,
  }),
  others: [
    { claims: { client_id: undefined, aud: 'APP_CLIENT_ID', token_use: 'id' }, cause: /^its client_id is missing/ },
  ],
};

/**
 * ID tokens, which Firebase issues for backends (firebase.google.com/docs/auth/admin/verify-id-tokens, "using a
 * third-party JWT library"): `aud` is the project, the issuer ends with it.
 */
const firebase: IssuedToken = {
  provider: 'Firebase',
  header: { alg: 'RS256', typ: 'JWT' },
  subject: 'Zq3kT1oPZ4Xy0b7VfW2nM8sR6uC3',
  claims: (iss, audience, now) => ({
    iss,
    aud: audience,
    auth_time: now - 5,
    user_id: 'Zq3kT1oPZ4Xy0b7VfW2nM8sR6uC3',
    sub: 'Zq3kT1oPZ4Xy0b7VfW2nM8sR6uC3',
    iat: now,
    exp: now + 3600,
    email: 'ada@example.com',
    email_verified: true,
    firebase: { identities: { email: ['ada@example.com'] }, sign_in_provider: 'password' },
  }),
  others: [{ claims: { aud: 'another-project' }, cause: /^its aud is "another-project"/ }],
};

/**
 * Session tokens, version 2 (clerk.com/docs/guides/sessions/session-tokens): no `aud`; `azp` is the origin of the
 * application; they are valid for a minute, starting some seconds before they are issued. Keys are at
 * /.well-known/jwks.json (clerk.com/docs, "Manual JWT verification").
 */
const clerk: IssuedToken = {
  provider: 'Clerk',
  header: { alg: 'RS256', typ: 'JWT', cat: 'cl_B7d4PD111AAA' },
  subject: 'user_2abcDEFghiJKLmnoPQRstuVWxyz',
  claims: (iss, audience, now) => ({
    azp: audience,
    exp: now + 60,
    fva: [7, -1],
    iat: now,
    iss,
    jti: 'a1b2c3d4e5f60718293a',
    nbf: now - 10,
    sid: 'sess_2abcDEFghiJKLmnoPQRstuVWxyz',
    sub: 'user_2abcDEFghiJKLmnoPQRstuVWxyz',
    sts: 'active',
    v: 2,
  }),
  others: [{ claims: { azp: 'https://evil.example' }, cause: /^its azp is "https:\/\/evil.example"/ }],
};

export const issuedTokens: readonly IssuedToken[] = [auth0, auth0Rfc9068, keycloak, cognito, firebase, clerk];
