import { GetExecutionStatusResponse } from '@defuse-protocol/one-click-sdk-typescript';
import { Logger } from '@nestjs/common';
import { instantOf, Unavailable } from '@app/kernel';
import { OneClick, type Swap } from '../src/one-click.adapter';
import type { Wanted } from '../src/quotes.adapter';
import { startAnswering, type Answering } from './answering';

const account = 'ab'.repeat(32);
const wanted: Wanted = {
  swapType: 'EXACT_INPUT',
  originAsset: 'nep141:a',
  destinationAsset: 'nep141:b',
  amount: '1',
  accountId: account,
  deadline: instantOf(0),
};

describe('1Click', () => {
  let world: Answering;
  let answer = { status: 200, body: '{}' };

  beforeAll(async () => {
    Logger.overrideLogger(false);
    world = await startAnswering((request, response) => {
      request.resume();
      response.writeHead(answer.status).end(answer.body);
    });
  });
  afterAll(async () => {
    Logger.overrideLogger(true);
    await world.stop();
  });

  const calls = {
    tokens: (oneClick: OneClick) => oneClick.tokens(),
    quote: (oneClick: OneClick) => oneClick.quote(wanted),
    status: (oneClick: OneClick) => oneClick.swap(account),
    deposit: (oneClick: OneClick) => oneClick.announceDeposit(account, 'x', account),
  };

  async function said(call: keyof typeof calls, status: number, body = '{"message":"no"}'): Promise<unknown> {
    answer = { status, body };
    try {
      return await calls[call](new OneClick(world.http));
    } catch (error) {
      if (error instanceof Unavailable) return 'no answer';
      throw error;
    }
  }

  it.each([400, 401, 403, 404, 408, 429, 500, 502, 503])(
    'refuses with %i: only its 400 and 404 say something',
    async (status) => {
      expect(await said('tokens', status)).toBe('no answer');
      expect(await said('quote', status)).toBe(status === 400 ? null : 'no answer');
      expect(await said('status', status)).toBe(status === 404 ? null : 'no answer');
      expect(await said('deposit', status)).toBeUndefined(); // 1Click would find the deposit by itself
    },
  );

  const meanings: Record<`${GetExecutionStatusResponse.status}`, Swap['status']> = {
    KNOWN_DEPOSIT_TX: 'under_way',
    PENDING_DEPOSIT: 'awaiting_deposit',
    INCOMPLETE_DEPOSIT: 'under_way',
    PROCESSING: 'under_way',
    SUCCESS: 'success',
    REFUNDED: 'refunded',
    FAILED: 'failed',
  };
  it.each(Object.values(GetExecutionStatusResponse.status))('has swaps that are %s', async (status) => {
    const body = JSON.stringify({ status, swapDetails: { amountOut: '5', refundedAmount: '0' } });
    expect(await said('status', 200, body)).toEqual({ status: meanings[status], amountOut: '5', returned: null });
  });

  it('tells what came back', async () => {
    const body = JSON.stringify({ status: 'REFUNDED', swapDetails: { refundedAmount: '99' } });
    expect(await said('status', 200, body)).toEqual({ status: 'refunded', amountOut: null, returned: '99' });
    expect(await said('status', 200, '{"status":"toString"}')).toBe('no answer');
  });

  it('is asked on by everybody when it does not take the token', async () => {
    answer = { status: 401, body: '{}' };
    let asked = 0;
    const closed = await startAnswering(
      (request, response) => {
        asked += 1;
        request.resume();
        response.writeHead(answer.status).end(answer.body);
      },
      { breakerFailures: 2 },
    );
    const oneClick = new OneClick(closed.http);
    for (let call = 0; call < 5; call += 1) await expect(oneClick.quote(wanted)).rejects.toThrow(Unavailable);
    expect(asked).toBe(5);
    await closed.stop();
  });
});
