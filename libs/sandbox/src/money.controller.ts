import { Body, Controller, HttpCode, Param, Post, Put, UseGuards } from '@nestjs/common';
import { answer, Operation } from '@app/http';
import { asId, invalid, notFound, refuse } from '@app/kernel';
import type { TokenAmount } from '@app/wallets';
import { LedgerWallets } from './ledger-wallets';
import { LoopbackOnly } from './loopback.guard';
import { findIn, Market } from './market';
import { Deposit, PriceChange } from './money.dto';
import { PinnedPrices } from './pinned-prices';

interface TokenPrice {
  readonly tokenId: string;
  readonly priceUsd: string | null;
}

/** The sandbox's calls that change what its wallet provider knows (decisions.md, section 10). */
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
  @Operation('sandbox.deposit')
  async deposit(@Body() { userId, tokenId, amountRaw }: Deposit): Promise<TokenAmount> {
    if (!this.market.knows(tokenId)) return answer(refuse(invalid('/tokenId', 'must be a token of the sandbox')));
    const balance = await this.wallets.deposit(asId(userId), { tokenId, amountRaw });
    return balance === null ? answer(refuse(notFound)) : { tokenId, amountRaw: balance.toString() };
  }

  /** Answers the price that holds from now on; rules that look at it see it from now on too. */
  @Put('prices/:tokenId')
  @Operation('sandbox.setPrice')
  async setPrice(@Param('tokenId') tokenId: string, @Body() { priceUsd }: PriceChange): Promise<TokenPrice> {
    if (!this.market.knows(tokenId)) return answer(refuse(notFound));
    await this.market.pin(tokenId, priceUsd);
    await this.pinned.changed(tokenId);
    const { tokens } = await this.market.look();
    return { tokenId, priceUsd: findIn(tokens, { tokenId })?.priceUsdDecimal ?? null };
  }
}
