import { Injectable } from '@nestjs/common';
import { Clock, words, type JsonObject, type UserId } from '@app/kernel';
import { choice, text, type Shaped } from '@app/schema';
import { WalletProvider, Wallets, type Token } from '@app/wallets';
import { failWith, type CallContext, type ToolResult } from '../tool';
import type { AutoDeclaration } from '../tool-declaration';

/** Most tokens of one symbol that are listed. */
const candidatesMax = 20;

const input = choice('NamedToken', [{ tokenId: text() }, { symbol: text() }]);
type NamedToken = Shaped<typeof input>;

/**
 * A token's description and price, by its id or its symbol. If several tokens share a symbol, it means the one that the wallet holds;
 * otherwise nothing is guessed, and the result is all of them (docs/decisions/money.md).
 */
@Injectable()
export class TokenPrice implements AutoDeclaration<NamedToken> {
  readonly order = 20;
  readonly name = 'token_price';
  readonly description =
    'A token by its id or symbol: its price in US dollars. `candidates`: several bear it; name one.';
  readonly input = input;
  readonly inputWords = words`{tokenId: string} or {symbol: string}`;
  readonly effect = 'none';
  readonly consent = 'auto';

  constructor(
    private readonly provider: WalletProvider,
    private readonly wallets: Wallets,
    private readonly clock: Clock,
  ) {}

  async run(named: NamedToken, { userId }: CallContext): Promise<ToolResult> {
    const found = await tokensMeant(this.provider, named);
    const [token, ...others] = found.length > 1 ? await narrowToHeld(this.wallets, userId, found) : found;
    if (token === undefined) return failWith('the token is not known');
    const asOf = this.clock.now();
    if (others.length === 0) return { outcome: 'ok', result: { ...describeToken(token), asOf } };
    const candidates = [token, ...others].slice(0, candidatesMax).map(describeToken);
    const mark = candidates.length <= others.length ? { truncated: true } : {};
    return { outcome: 'ok', result: { candidates, ...mark, asOf } };
  }
}

async function tokensMeant(provider: WalletProvider, by: NamedToken): Promise<readonly Token[]> {
  if ('symbol' in by) return provider.tokensCalled(by.symbol);
  const token = await provider.findToken(by.tokenId);
  return token === null ? [] : [token];
}

/** Returns those tokens that the wallet holds; all of them if it holds none, or cannot be read. */
async function narrowToHeld(wallets: Wallets, userId: UserId, tokens: readonly Token[]): Promise<readonly Token[]> {
  const spendable = await wallets.spendable(userId);
  const heldIds = new Set(spendable.ok ? spendable.value.map(({ tokenId }) => tokenId) : []);
  const held = tokens.filter(({ tokenId }) => heldIds.has(tokenId));
  return held.length === 0 ? tokens : held;
}

function describeToken({ tokenId, symbol, name, decimals, priceUsdDecimal }: Token): JsonObject {
  return { tokenId, symbol, name, decimals, priceUsdDecimal };
}
