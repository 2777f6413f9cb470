import { Body, Controller, HttpCode, Param, Post, Put, UseGuards } from '@nestjs/common';
import { answer, Operation } from '@app/http';
import { asId, invalid, notFound, refuse } from '@app/kernel';
import { exactly, nullable, shape, text, type Shaped } from '@app/schema';
import type { TokenAmount } from '@app/wallets';
import { LedgerWallets } from './ledger-wallets';
import { LoopbackOnly } from './loopback.guard';
import { Market, tokenOf } from './market';
import { Deposit, price, PriceChange, tokenIdLengthMax } from './money.dto';
import { PinnedPrices } from './pinned-prices';

const tokenId = text({ min: 1, max: tokenIdLengthMax });

const TokenPrice = shape('TokenPrice', {
  tokenId,
  priceUsd: nullable(text({ pattern: price }), { description: 'Null when the provider has no price' }),
});
type TokenPrice = Shaped<typeof TokenPrice>;

const TokenBalance = exactly<TokenAmount>()(
  shape('TokenBalance', {
    tokenId,
    amountRaw: text({ pattern: /^(0|[1-9][0-9]{0,159})$/, description: "In the token's smallest unit" }),
  }),
);

/** The sandbox's calls that change what its wallet provider knows (docs/decisions/sandbox.md). */
@Controller('sandbox/v1')
@UseGuards(LoopbackOnly)
export class MoneyController {
  constructor(
    private readonly market: Market,
    private readonly wallets: LedgerWallets,
    private readonly pinned: PinnedPrices,
  ) {}

  /** Answers the new balance of the token. */
  @Post('deposits')
  @HttpCode(200)
  @Operation('sandbox.deposit', {
    summary: "Fund a user's wallet",
    description: 'Answers the new balance of the token. The user must have a wallet.',
    requestExample: {
      userId: '5d1f3a52-6a5e-5b0c-9a5e-0f3c2b7d9e11',
      tokenId: 'nep141:wrap.near',
      amountRaw: '1000000000000000000000000',
    },
    answer: TokenBalance,
    answerExample: { tokenId: 'nep141:wrap.near', amountRaw: '41000000000000000000000000' },
  })
  async deposit(@Body() { userId, tokenId, amountRaw }: Deposit): Promise<TokenAmount> {
    if (!this.market.knows(tokenId)) return answer(refuse(invalid('/tokenId', 'must be a token of the sandbox')));
    const balance = await this.wallets.deposit(asId(userId), { tokenId, amountRaw });
    return balance === null ? answer(refuse(notFound)) : { tokenId, amountRaw: balance.toString() };
  }

  /** Answers the price that holds from now on; rules that look at it see it from now on too. */
  @Put('prices/:tokenId')
  @Operation('sandbox.setPrice', {
    summary: "Pin a token's price, or let it follow its path again",
    description: 'Answers the price that holds from now on; rules that look at it are looked at now.',
    requestExample: { priceUsd: '1.90' },
    answer: TokenPrice,
    answerExample: { tokenId: 'nep141:wrap.near', priceUsd: '1.90' },
  })
  async setPrice(@Param('tokenId') tokenId: string, @Body() { priceUsd }: PriceChange): Promise<TokenPrice> {
    if (!this.market.knows(tokenId)) return answer(refuse(notFound));
    await this.market.pin(tokenId, priceUsd);
    await this.pinned.changed(tokenId);
    const { tokens } = await this.market.look();
    return { tokenId, priceUsd: tokenOf(tokens, tokenId)?.priceUsdDecimal ?? null };
  }
}
