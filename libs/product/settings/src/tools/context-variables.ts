import { parsedJson } from '@app/kernel';
import { Rule } from '@app/runtime';
import { createPrivateKey, createPublicKey, sign, verify, type JsonWebKey, type KeyObject } from 'node:crypto';
import { makeValidator } from 'envalid';

const keysMax = 8;
const rule = new Rule(
  `must be 1 to ${keysMax} different private keys on P-256: PEM, one after the other, or a JWK, or a list of JWKs in JSON`,
);
const pemBlock = /-----BEGIN (EC )?PRIVATE KEY-----[\s\S]+?-----END \1?PRIVATE KEY-----/g;

const signingKeys = makeValidator<readonly KeyObject[]>((text) => {
  const keys = (text.trimStart().startsWith('-----') ? keysInPem(text) : keysInJson(text)).filter(
    (key) => key !== null,
  );
  const publicHalves = new Set(keys.map((key) => createPublicKey(key).export({ format: 'jwk' }).x));
  if (keys.length === 0 || keys.length > keysMax || publicHalves.size < keys.length) throw rule;
  return keys;
});

/**
 * Parses private keys in PEM. Line ends may be spelled `\n`, as files of variables need it. The parameters that `openssl ecparam` writes
 * before its key are redundant.
 */
function keysInPem(text: string): readonly KeyObject[] {
  const pem = text.replaceAll('\\n', '\n');
  const rest = pem.replaceAll(pemBlock, '').replaceAll(/-----(BEGIN|END) EC PARAMETERS-----|[A-Za-z0-9+/=\s]/g, '');
  if (rest !== '') throw rule;
  return (pem.match(pemBlock) ?? []).map((block) => signingKey(() => createPrivateKey(block)));
}

function keysInJson(text: string): readonly KeyObject[] {
  const parsed = [parsedJson(text)].flat();
  // Reason for the assertion: the function that reads it refuses anything but a private JWK.
  return parsed.map((jwk) => signingKey(() => createPrivateKey({ key: jwk as JsonWebKey, format: 'jwk' })));
}

/** Returns a key whose signatures its public half verifies: a JWK contains both, possibly of two different keys. */
function signingKey(read: () => KeyObject): KeyObject {
  let key: KeyObject;
  try {
    key = read();
  } catch {
    // The error's message would quote a secret.
    throw rule;
  }
  const probe = Buffer.from('probe');
  const isFit =
    key.asymmetricKeyType === 'ec' &&
    key.asymmetricKeyDetails?.namedCurve === 'prime256v1' &&
    verify('sha256', probe, createPublicKey(key), sign('sha256', probe, key));
  if (!isFit) throw rule;
  return key;
}

/** The environment variable of the keys with which servers of tools verify for whose user a call is (docs/mcp.md). */
export const contextVariables = {
  CONTEXT_SIGNING_KEYS: signingKeys({
    default: undefined,
    desc:
      'Secret, private keys on P-256 that sign the header Parley-Context of calls to MCP servers over HTTP (ES256): in PEM, one after the ' +
      'other (`openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256`), or as JWKs in JSON; the first one signs, all are published ' +
      'at /.well-known/jwks.json; unset in sandbox mode: one derives from PARLEY_SECRET_KEY',
  }),
};

/** The settings that production lacks so that servers over HTTP can verify for whose user a call is, as `NAME: rule`. */
export function contextProblems(env: Readonly<Record<string, unknown>>): string[] {
  const { PARLEY_MODE: mode, MCP_SERVERS: servers } = env;
  if (mode !== 'production' || !Array.isArray(servers) || !servers.some(isOverHttp)) return [];
  return ['CONTEXT_SIGNING_KEYS', 'PUBLIC_URL']
    .filter((name) => env[name] === undefined)
    .map(
      (name) => `${name}: must be set where MCP_SERVERS names a server over HTTP, which knows by it whose call it is`,
    );
}

function isOverHttp(server: { readonly transport: { readonly type: string } }): boolean {
  return server.transport.type === 'http';
}
