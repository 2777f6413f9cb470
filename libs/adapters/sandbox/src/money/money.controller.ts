import { Body, Controller, Param, UseGuards } from '@nestjs/common';
import { answer, Serves } from '@app/http';
import { asId, invalid, notFound, refuse } from '@app/kernel';
import type { TokenAmount } from '@app/wallets';
import { LedgerWallets } from '../ledger/ledger-wallets';
import { LoopbackOnly } from '../loopback.guard';
import { Market, PinnedPrices, tokenOf } from '../prices/market';
import { Deposit, PriceChange, type TokenPrice } from './money.dto';
import { makeDeposit, setPrice } from './money.contract';

/** The sandbox's calls that change the state of its wallet provider (docs/decisions/sandbox.md). */
@Controller()
@UseGuards(LoopbackOnly)
export class MoneyController {
  constructor(
    private readonly market: Market,
    private readonly wallets: LedgerWallets,
    private readonly pinned: PinnedPrices,
  ) {}

  /** Returns the new balance of the token. */
  @Serves(makeDeposit)
  async deposit(@Body() { userId, tokenId, amountRaw }: Deposit): Promise<TokenAmount> {
    if (!this.market.knows(tokenId)) return answer(refuse(invalid('/tokenId', 'must be a token of the sandbox')));
    const balance = await this.wallets.deposit(asId(userId), { tokenId, amountRaw });
    return balance === null ? answer(refuse(notFound)) : { tokenId, amountRaw: balance.toString() };
  }

  /** Returns the price in effect from now on; rules that read it see it from now on too. */
  @Serves(setPrice)
  async setPrice(@Param('tokenId') tokenId: string, @Body() { priceUsd }: PriceChange): Promise<TokenPrice> {
    if (!this.market.knows(tokenId)) return answer(refuse(notFound));
    await this.market.pin(tokenId, priceUsd);
    await this.pinned.priceChanged(tokenId);
    const { tokens } = await this.market.look();
    return { tokenId, priceUsd: tokenOf(tokens, tokenId)?.priceUsdDecimal ?? null };
  }
}
