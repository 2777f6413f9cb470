import { randomUUID } from 'node:crypto';
import { requestJson } from '@app/testing/client';
import type { Deployment } from '@app/testing/deployment';

const userId = randomUUID();
const tokenId = 'nep141:wrap.near';

/** Bodies that a call of the sandbox refuses, each with the paths of its errors. */
interface Refusals {
  readonly call: readonly [method: string, path: string];
  readonly bodies: readonly (readonly [body: object, paths: readonly string[]])[];
}

const refusals: readonly Refusals[] = [
  {
    call: ['POST', 'tokens'],
    bodies: [
      [{}, ['/subject']],
      [{ subject: '' }, ['/subject']],
      [{ subject: 'x'.repeat(513) }, ['/subject']],
      [{ subject: null, expiresInSeconds: 0 }, ['/expiresInSeconds', '/subject']],
      [{ subject: 'a', expiresInSeconds: 31_622_401 }, ['/expiresInSeconds']],
      [{ subject: 'a', expiresInSeconds: 1.5 }, ['/expiresInSeconds']],
      [{ subject: 'a', more: 1 }, ['/more']],
    ],
  },
  {
    call: ['POST', 'operator-tokens'],
    bodies: [
      [{ subject: 'a' }, ['/scopes']],
      [{ subject: 'a', scopes: ['two words'] }, ['/scopes/0']],
      [{ subject: 'a', scopes: 'keys' }, ['/scopes']],
    ],
  },
  {
    call: ['POST', 'clock'],
    bodies: [
      [{}, ['/advanceSeconds']],
      [{ advanceSeconds: 0 }, ['/advanceSeconds']],
      [{ advanceSeconds: -1 }, ['/advanceSeconds']],
      [{ advanceSeconds: 31_622_401 }, ['/advanceSeconds']],
      [{ advanceSeconds: '1' }, ['/advanceSeconds']],
    ],
  },
  {
    call: ['PUT', 'faults'],
    bodies: [
      [{ model: { delayMs: 60_001 } }, ['/model/delayMs']],
      [{ model: { delayMs: 0.5, fail: 'yes' } }, ['/model/delayMs', '/model/fail']],
      [{ model: [] }, ['/model']],
      [{ model: { speed: 1 } }, ['/model/speed']],
      [{ provider: null, model: { delayMs: 0, fail: 0 } }, ['/model/fail']],
      [{ provider: { submit: 'never', down: 1 } }, ['/provider/down', '/provider/submit']],
      [{ provider: { settleAfterSeconds: 3_601 } }, ['/provider/settleAfterSeconds']],
      [{ provider: { settleAfterSeconds: -1, other: true } }, ['/provider/other', '/provider/settleAfterSeconds']],
      [{ provider: { rejectSessionOf: 'me' } }, ['/provider/rejectSessionOf']],
      [{ provider: { down: true, rejectSessionOf: userId } }, ['/provider/rejectSessionOf']],
    ],
  },
  {
    call: ['PUT', `prices/${tokenId}`],
    bodies: [0, 1.5, '', '0', '0.0', '-1', '1.', '.5', '01', '1e3', ' 1', '1'.repeat(40), `1.${'1'.repeat(19)}`].map(
      (priceUsd) => [{ priceUsd }, ['/priceUsd']],
    ),
  },
  {
    call: ['POST', 'deposits'],
    bodies: [
      [{ userId, tokenId: 'nep141:nobody.near', amountRaw: '1' }, ['/tokenId']],
      [{ userId, tokenId: '', amountRaw: '1' }, ['/tokenId']],
      [{ userId: 'me', tokenId, amountRaw: '1' }, ['/userId']],
      [{ userId, tokenId, amountRaw: '0' }, ['/amountRaw']],
      [{ userId, tokenId, amountRaw: '01' }, ['/amountRaw']],
      [{ userId, tokenId, amountRaw: '1.5' }, ['/amountRaw']],
      [{ userId, tokenId, amountRaw: '-1' }, ['/amountRaw']],
      [{ userId, tokenId, amountRaw: 1 }, ['/amountRaw']],
      [{ userId, tokenId, amountRaw: '1'.repeat(151) }, ['/amountRaw']],
      [{}, ['/amountRaw', '/tokenId', '/userId']],
    ],
  },
];

/** The answer to a call that the sandbox refuses: its status, and the paths of the errors, in their order. */
export async function refusedBy(
  deployment: Deployment,
  [method, path]: Refusals['call'],
  body: object,
): Promise<{ status: number; paths: string[] }> {
  const url = `${deployment.baseUrls[0]}/sandbox/v1/${path}`;
  const answer = await requestJson<{ issues?: { path: string }[] }>(method, url, body);
  return { status: answer.status, paths: (answer.body.issues ?? []).map((issue) => issue.path).sort() };
}

/** Expects every call of the sandbox to name the members that it refuses. */
export function refusalCases(given: () => Deployment): void {
  describe.each(refusals)('$call.0 $call.1', ({ call, bodies }) => {
    it.each(bodies)('refuses %j', async (body, paths) => {
      const refused = await refusedBy(given(), call, body);
      expect(refused.status).toBe(400);
      expect(refused.paths).toEqual(paths);
    });
  });
}
