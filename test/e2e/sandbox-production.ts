import { Clock } from '@app/kernel';
import { startProduction } from '@app/testing/deployment';
import { requestJson } from '@app/testing/client';
import { partOf } from '@app/testing/journeys';

/** Production mode has nothing of the sandbox. */
export function productionCases(): void {
  describe('production mode', () => {
    it('has no sandbox, and runs on real time', async () => {
      const production = await startProduction();
      try {
        const [baseUrl = ''] = production.baseUrls;
        const missing = await requestJson('GET', `${baseUrl}/sandbox/v1/nothing`);
        for (const [method, path] of [
          ['GET', 'v1/clock'],
          ['POST', 'v1/clock'],
          ['POST', 'v1/tokens'],
          ['POST', 'v1/operator-tokens'],
          ['GET', 'v1/faults'],
          ['PUT', 'v1/faults'],
          ['PUT', 'v1/prices/nep141:wrap.near'],
          ['POST', 'v1/deposits'],
          ['GET', 'issuer/jwks'],
          ['GET', 'issuer/.well-known/openid-configuration'],
        ] as const) {
          const answer = await requestJson(method, `${baseUrl}/sandbox/${path}`);
          expect(answer.status).toBe(404);
          expect({ ...answer.body, requestId: '' }).toEqual({ ...missing.body, requestId: '' });
        }
        expect(Math.abs(partOf(production, Clock).epochMs() - Date.now())).toBeLessThan(1_000);
      } finally {
        await production.stop();
      }
    });
  });
}
