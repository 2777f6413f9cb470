/** Issuers that break every rule of a connection: a caller waits for keys no longer than OIDC_TIMEOUT_MS. */
import { impoliteOutcomes } from '@app/testing/impolite';
import { IssuerKeys } from '../src/access/issuer-keys';

const timeoutMs = 1_500;

it.each(['discovery', 'keys'])('the %s of an issuer', async (document) => {
  const found = await impoliteOutcomes({
    attempt: async (url) => {
      const jwksUri = document === 'keys' ? `${url}/jwks` : undefined;
      await new IssuerKeys(url, { timeoutMs, jwksUri }).current();
    },
    limitMs: timeoutMs,
    byFetch: true,
  });
  expect(found).toMatchObject({ hanging: [], left: [] });
  for (const ended of Object.values(found.ended)) expect(ended).toMatch(/identity provider/);
});
