import { operation } from '@app/http';
import { Deposit, PriceChange, TokenBalance, TokenPrice } from './money.dto';

const tokenId = { description: 'A token of the sandbox, as its balances name it', example: 'nep141:wrap.near' };

export const makeDeposit = operation('sandbox.deposit', {
  route: 'POST /sandbox/v1/deposits',
  summary: "Fund a user's wallet",
  description: 'Answers the new balance of the token. The user must have a wallet.',
  body: Deposit,
  answer: TokenBalance,
  examples: {
    body: {
      userId: '5d1f3a52-6a5e-5b0c-9a5e-0f3c2b7d9e11',
      tokenId: 'nep141:wrap.near',
      amountRaw: '1000000000000000000000000',
    },
    answer: { tokenId: 'nep141:wrap.near', amountRaw: '41000000000000000000000000' },
  },
});

export const setPrice = operation('sandbox.setPrice', {
  route: 'PUT /sandbox/v1/prices/:tokenId',
  summary: "Pin a token's price, or let it follow its path again",
  description: 'Answers the price that holds from now on; rules that read it are checked now.',
  parameters: { tokenId },
  body: PriceChange,
  answer: TokenPrice,
  examples: { body: { priceUsd: '1.90' }, answer: { tokenId: 'nep141:wrap.near', priceUsd: '1.90' } },
});
