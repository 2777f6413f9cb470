import { abortAfter } from '@app/runtime';
import { Injectable } from '@nestjs/common';
import { contractWords, type Contract, type PinnedToken } from '@app/consent';
import { DeploymentControls } from '@app/deployment';
import { issueWords, spelled, words } from '@app/kernel';
import type { JsonObject, JsonValue, OperationId, UserId, Words } from '@app/kernel';
import { object, read, readLater, withoutOthers, type Shaped } from '@app/schema';
import { AgentTransfers, AgentWallets, ContractShape, WalletProvider } from '@app/wallets';
import type { AgentWallet, OperationState } from '@app/wallets';
import { failWith } from '../tool';
import type { ApprovedCall, CallContext, FailedReview, Reviewed, ToolResult } from '../tool';
import type { AskDeclaration } from '../tool-declaration';
import { noWallet, unusableWallet } from './wallet-words';

const input = withoutOthers(object({ contract: readLater(ContractShape) }));
type Input = Shaped<typeof input>;

/**
 * Swaps and withdrawals from the agent wallet, as one contract that the user approves. Returns once the provider has the first action; the
 * outcome is reported elsewhere (docs/decisions/approvals.md).
 */
@Injectable()
export class IntentsTransfer implements AskDeclaration<Input> {
  readonly order = 30;
  readonly name = 'intents_transfer';
  readonly description =
    "Swaps tokens of the user's agent wallet, or withdraws them to the user's main account, by one contract that the user must " +
    'approve first. Amounts are integers in the smallest unit, as texts: scale them by the decimals that wallet_balances or ' +
    'token_price report, and never round.';
  readonly input = input;
  readonly inputWords = words`{contract}`;
  readonly effect = 'repeatable';
  readonly consent = 'ask';

  constructor(
    private readonly agentWallets: AgentWallets,
    private readonly transfers: AgentTransfers,
    private readonly provider: WalletProvider,
    private readonly controls: DeploymentControls,
  ) {}

  async review({ contract: given }: Input, { userId }: CallContext): Promise<Reviewed | FailedReview> {
    const contract = contractIn(given);
    if (typeof contract === 'string') return refuse(contract);
    if (await this.controls.isPaused('withdrawals')) return refuse(paused);
    const wallet = await walletFor(contract, this.agentWallets, userId);
    return typeof wallet === 'string' ? refuse(wallet) : review(this.provider, contract, wallet.walletId);
  }

  async run(
    { approvalId, contract, decidedBy, useBefore }: ApprovedCall<Input>,
    { userId, conversationId, runId, automationId, cause }: CallContext,
    signal: AbortSignal,
  ): Promise<ToolResult> {
    if (contract === null) return failWith('there is no contract');
    if (await this.controls.isPaused('withdrawals')) return failWith(paused);
    const wallet = await walletFor(contract, this.agentWallets, userId);
    if (typeof wallet === 'string') return failWith(wallet);
    const { walletId, mainAccountId } = wallet;
    const terms = { kind: 'agent_transfer', userId, walletId, approvalId, conversationId, runId } as const;
    const used = await this.transfers.use(
      { ...terms, automationId, contract, decidedBy, mainAccountId, expiresAt: useBefore },
      cause,
    );
    if (!used.ok) return failWith('the approval cannot be used');
    return outcomeOf(used.value, await underWay(this.transfers, used.value, signal));
  }
}

/** How long a run waits for a provider that does not answer. Real time; the operation continues without it. */
const underWayWithinMs = 60_000;

/** Throws the signal's reason when it aborts first. */
async function underWay(transfers: AgentTransfers, operationId: OperationId, signal: AbortSignal) {
  const patience = abortAfter(underWayWithinMs);
  try {
    return await transfers.untilUnderWay(operationId, AbortSignal.any([signal, patience]));
  } catch (error) {
    if (signal.aborted || !patience.aborted) throw error;
    return { status: 'submitted', failure: null } as const;
  }
}

const paused = words`an operator has paused withdrawals`;
const noMainAccount = words`the service does not know the user's main account, so nothing can be withdrawn`;

/**
 * Returns the wallet that a contract needs, or why there is none: only withdrawals need a main account (docs/decisions/runs.md, "Tools").
 */
async function walletFor(
  { actions }: Contract,
  agentWallets: AgentWallets,
  userId: UserId,
): Promise<AgentWallet | Words> {
  const wallet = await agentWallets.find(userId);
  if (wallet === 'none') return noWallet;
  if (wallet === 'unusable') return unusableWallet;
  const withdraws = actions.some(({ kind }) => kind === 'withdraw_to_owner');
  return withdraws && wallet.mainAccountId === null ? noMainAccount : wallet;
}

/** Returns the contract in a tool's input, or what is wrong with it. */
function contractIn(value: JsonValue): Contract | Words {
  const parsed = read(ContractShape, value);
  if (parsed.ok) return parsed.value;
  const issues = parsed.refusal.kind === 'invalid_input' ? parsed.refusal.issues : [];
  return words`the contract is not valid: ${issueWords(issues)}`;
}

/** A pinned token must have its true decimals, because amounts were scaled by them. */
async function review(
  provider: WalletProvider,
  contract: Contract,
  walletId: Reviewed['walletId'],
): Promise<Reviewed | FailedReview> {
  const symbols = new Map<string, string>();
  for (const { tokenId, decimals } of pinnedTokens(contract)) {
    const token = await provider.findToken(tokenId);
    if (token === null) return refuse(words`the token ${spelled(tokenId, 'tokenId')} is not known`);
    if (token.decimals !== decimals)
      return refuse(words`the token ${spelled(tokenId, 'tokenId')} does not have ${decimals} decimals`);
    symbols.set(tokenId, token.symbol);
  }
  const asked = contractWords(contract, (tokenId) => symbols.get(tokenId) ?? null);
  if (asked === null)
    return refuse(words`the user could not distinguish the tokens in what is asked; ask for less at a time`);
  return { ok: true, walletId, contract, ...asked };
}

function pinnedTokens({ actions }: Contract): PinnedToken[] {
  const choices = actions.flatMap((action) => ('output' in action ? [action.input, action.output] : [action.input]));
  return choices.flatMap((choice) => ('pinned' in choice ? [choice.pinned] : []));
}

function outcomeOf(operationId: string, { status, failure }: Pick<OperationState, 'status' | 'failure'>) {
  const result: JsonObject = { operationId, status };
  if (failure === null) return { outcome: 'ok', result } as const;
  return { outcome: 'error', result: { ...result, error: failure.text, reason: failure.reason } } as const;
}

function refuse(error: Words): FailedReview {
  return { ok: false, error };
}
