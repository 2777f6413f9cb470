import { Injectable } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { renderContract, unscaledAmount, type Contract } from '@app/consent';
import type { ApprovalId, JsonObject, UserId } from '@app/kernel';
import { agentOperationId, GetFinancialOperation, WalletProvider } from '@app/wallets';
import type { OperationView, Token, TokenAmount } from '@app/wallets';
import { isOwnStore } from '../tool';

/** Most operations of one replaced part that a model reads; the newest are given. */
const factsMax = 50;

type Tokens = ReadonlyMap<string, Token | null>;

/** The facts of money that moved in messages which a user has replaced: a model must know of them, since nothing is undone. */
@Injectable()
export class MoneyFacts {
  constructor(
    private readonly queries: QueryBus,
    private readonly provider: WalletProvider,
  ) {}

  /**
   * Returns a line of JSON for each operation that one of these approvals led to, as of now, oldest first, and one that counts those before
   * the newest 50. Throws Unavailable for a store of our own.
   */
  async facts(userId: UserId, approvalIds: readonly ApprovalId[]): Promise<readonly string[]> {
    const lines: string[] = [];
    for (const approvalId of approvalIds.slice(-factsMax)) {
      const found = await this.queries.execute(new GetFinancialOperation(userId, agentOperationId(approvalId)));
      // An approval that was not used has moved nothing.
      if (found.ok) lines.push(JSON.stringify(factOf(found.value, await this.tokensOf(found.value))));
    }
    const older = approvalIds.length - factsMax;
    return older > 0 ? [JSON.stringify({ earlierApprovedTransfersNotShown: older }), ...lines] : lines;
  }

  private async tokensOf({ contract, actions }: OperationView): Promise<Tokens> {
    const moved = actions.flatMap(({ input, output }) => [input, output]).flatMap((amount) => amount?.tokenId ?? []);
    const tokens = new Map<string, Token | null>();
    for (const tokenId of new Set([...pinnedIn(contract), ...moved])) tokens.set(tokenId, await this.tokenOf(tokenId));
    return tokens;
  }

  /** Null also while the provider does not answer: the fact then names the token by its id. */
  private async tokenOf(tokenId: string): Promise<Token | null> {
    try {
      return await this.provider.findToken(tokenId);
    } catch (error) {
      if (isOwnStore(error)) throw error;
      return null;
    }
  }
}

function pinnedIn({ actions }: Contract): readonly string[] {
  const choices = actions.flatMap((action) => ('output' in action ? [action.input, action.output] : [action.input]));
  return choices.flatMap((choice) => ('pinned' in choice ? [choice.pinned.tokenId] : []));
}

/** An operation as a model reads it: what was approved, how much moved, and its state. */
function factOf({ id, status, contract, actions, createdAt }: OperationView, tokens: Tokens): JsonObject {
  const approved = renderContract(contract, (tokenId) => tokens.get(tokenId)?.symbol ?? null);
  const moved = actions.map(({ kind, status: state, input, output }) => ({
    kind,
    state,
    takes: amountOf(input, tokens),
    gives: amountOf(output, tokens),
  }));
  return { operationId: id, state: status, approved, actions: moved, at: createdAt };
}

function amountOf(amount: TokenAmount | null, tokens: Tokens): JsonObject | null {
  if (amount === null) return null;
  const { tokenId, amountRaw } = amount;
  const token = tokens.get(tokenId) ?? null;
  if (token?.decimals == null) return { tokenId, amountRaw };
  return { amount: unscaledAmount(amountRaw, token.decimals), symbol: token.symbol, tokenId };
}
