import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { ConfigurationError } from '@app/runtime';
import { readConfiguration } from '../configuration';

const newKey = (namedCurve = 'prime256v1') => generateKeyPairSync('ec', { namedCurve }).privateKey;
const pem = (key: KeyObject, type: 'pkcs8' | 'sec1' = 'pkcs8') => key.export({ type, format: 'pem' }).toString();
const jwk = (key: KeyObject) => key.export({ format: 'jwk' });
const publicHalf = (key: KeyObject) => createPublicKey(key).export({ format: 'jwk' });
const [one, other] = [newKey(), newKey()];

const read = (CONTEXT_SIGNING_KEYS: string) =>
  readConfiguration({ CONTEXT_SIGNING_KEYS }).env.CONTEXT_SIGNING_KEYS?.map(publicHalf);

describe('CONTEXT_SIGNING_KEYS', () => {
  it.each<[string, string]>([
    ['PEM', pem(one) + pem(other)],
    ['PEM as older programs write it', pem(one, 'sec1') + pem(other)],
    [
      'what openssl ecparam writes',
      `-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n${pem(one, 'sec1')}${pem(other)}`,
    ],
    ['PEM on one line', (pem(one) + pem(other)).replaceAll('\n', '\\n')],
    ['JWKs', JSON.stringify([jwk(one), { ...jwk(other), kid: 'mine', use: 'sig' }])],
  ])('are %s, in their order', (_, text) => expect(read(text)).toEqual([publicHalf(one), publicHalf(other)]));

  it('may be one JWK', () => expect(read(JSON.stringify(jwk(one)))).toEqual([publicHalf(one)]));

  it.each<[string, string]>([
    ['nothing of the kind', 'secret'],
    ['an empty list', '[]'],
    ['public keys', JSON.stringify(publicHalf(one))],
    ['halves of two keys', JSON.stringify({ ...jwk(one), d: jwk(other).d })],
    ['a key on another curve', pem(newKey('secp384r1'))],
    ['a key of another kind', pem(generateKeyPairSync('ed25519').privateKey)],
    ['one key twice', pem(one) + pem(one)],
    ['a key and something else', `${pem(one)}: secret`],
    ['half a key', pem(one).slice(0, 100)],
    ['too many', Array.from({ length: 9 }, () => pem(newKey())).join('')],
  ])('are not %s', (_, text) => {
    expect(() => read(text)).toThrow(ConfigurationError);
    expect(() => read(text)).toThrow(
      /CONTEXT_SIGNING_KEYS: must be 1 to 8 different private keys on P-256: (?!.*secret)/,
    );
  });
});

describe('in production', () => {
  const servers = (transport: object) => JSON.stringify([{ name: 'docs', consent: 'ask', transport }]);
  const problems = (env: Readonly<Record<string, string>>) => {
    try {
      readConfiguration({ PARLEY_MODE: 'production', ...env });
    } catch (error) {
      return String(error);
    }
    return '';
  };
  const http = servers({ type: 'http', url: 'https://docs.example/mcp' });

  it('servers over HTTP need keys, and an issuer whose they are', () => {
    const rule = 'must be set where MCP_SERVERS names a server over HTTP';
    expect(problems({ MCP_SERVERS: http })).toContain(`CONTEXT_SIGNING_KEYS: ${rule}`);
    expect(problems({ MCP_SERVERS: http })).toContain(`PUBLIC_URL: ${rule}`);
    const given = { MCP_SERVERS: http, CONTEXT_SIGNING_KEYS: pem(one), PUBLIC_URL: 'https://agents.example' };
    expect(problems(given)).not.toContain(rule);
  });

  it('others do not', () => {
    for (const env of [{}, { MCP_SERVERS: servers({ type: 'stdio', command: 'program' }) }])
      expect(problems(env)).not.toContain('CONTEXT_SIGNING_KEYS');
  });
});
