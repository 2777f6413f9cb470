import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Claim, StoredBytes } from '@app/audit';
import { claimOf, witnessKey } from '@app/testing/transparency';
import { signingKey } from '@app/transparency';
import { witnessClaims } from './audit-witnesses';

const event: StoredBytes = {
  stream: 'user-a',
  revision: 0,
  position: 1,
  id: '0190a000-0000-7000-8000-000000000001',
  type: 'thing.happened',
  data: Buffer.from('{}'),
  metadata: Buffer.from('{}'),
};
const bare = claimOf([event]);
const cosigned = claimOf([event], 1, { witnesses: [witnessKey] });
const stranger = signingKey('witness', 'witness.test/stranger', new Uint8Array(32).fill(9));
const byStranger = claimOf([event], 1, { witnesses: [stranger] });

let server: Server;
let url: string;
let answer: string;
beforeAll(async () => {
  server = createServer(({ url: path = '' }, response) => {
    response.statusCode = path.endsWith('/checkpoint') ? 200 : 404;
    response.end(response.statusCode === 200 ? answer : '');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // Reason for the assertion: it listens on a port.
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

describe('what a URL answers as a witness', () => {
  const named = [witnessKey];
  const ask = (given: Claim): Promise<Claim[]> => {
    answer = given.note;
    // Reason for the assertion: only WITNESSES is read.
    return witnessClaims([url], { env: { WITNESSES: [] } } as never, [bare], named);
  };
  const configured = (given: Claim): Promise<Claim[]> => {
    answer = given.note;
    // Reason for the assertion: only WITNESSES is read.
    return witnessClaims([''], { env: { WITNESSES: [{ url, key: witnessKey }] } } as never, [bare], []);
  };

  it.each([
    ['--witness', ask],
    ['WITNESSES', configured],
  ])('vouches with the signature of the witness of %s, and not without it', async (_, asking) => {
    expect(await asking(cosigned)).toMatchObject([{ note: cosigned.note, isOutside: true }]);
    const refused = 'is not signed by a witness that you named';
    await expect(asking(bare)).rejects.toThrow(refused);
    await expect(asking(byStranger)).rejects.toThrow(refused);
  });

  it.each([cosigned, bare, byStranger])('vouches for nothing where no key of the witness is named', async (given) => {
    answer = given.note;
    // Reason for the assertion: only WITNESSES is read.
    const claims = await witnessClaims([url], { env: { WITNESSES: [] } } as never, [bare], []);
    expect(claims).toMatchObject([{ isOutside: true, isOfUnknown: true }]);
  });
});
