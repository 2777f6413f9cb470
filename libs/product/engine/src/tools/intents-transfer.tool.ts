import { contractWords, type Contract, type PinnedToken } from '@app/consent';
import type { DeploymentControls } from '@app/deployment';
import { isJsonObject, type JsonObject, type JsonValue, type OperationId, type UserId } from '@app/kernel';
import { read } from '@app/schema';
import {
  ContractShape,
  type AgentTransfers,
  type AgentWallet,
  type AgentWallets,
  type OperationState,
  type WalletProvider,
} from '@app/wallets';
import { transferSchema } from './transfer-schema';
import { failWith, type AskTool, type FailedReview, type Reviewed } from '../tool';
import { noWallet, unusableWallet } from './wallet-words';

interface Parts {
  readonly agentWallets: AgentWallets;
  readonly transfers: AgentTransfers;
  readonly provider: WalletProvider;
  readonly controls: DeploymentControls;
}

/**
 * `intents_transfer`: swaps and withdrawals from the agent wallet, as one contract that the user approves. It returns once the first
 * action is with the provider; what comes of it is read elsewhere (docs/decisions/approvals.md).
 */
export function intentsTransfer(parts: Parts): AskTool {
  const { agentWallets, transfers, controls } = parts;
  return {
    name: 'intents_transfer',
    description:
      "Swaps tokens of the user's agent wallet, or withdraws them to the user's main account, by one contract that the user must " +
      'approve first. Amounts are integers in the smallest unit, as texts: scale them by the decimals that wallet_balances or ' +
      'token_price report, and never round.',
    inputSchema: transferSchema,
    effect: 'repeatable',
    consent: 'ask',

    review: async (input, { userId }) => {
      const contract = contractIn(input);
      if (typeof contract === 'string') return refuse(contract);
      if (await controls.isPaused('withdrawals')) return refuse(paused);
      const wallet = await walletFor(contract, agentWallets, userId);
      return typeof wallet === 'string' ? refuse(wallet) : review(parts.provider, contract, wallet.walletId);
    },

    run: async (
      { approvalId, contract, useBefore },
      { userId, conversationId, runId, automationId, cause },
      signal,
    ) => {
      if (contract === null) return failWith('there is no contract');
      if (await controls.isPaused('withdrawals')) return failWith(paused);
      const wallet = await walletFor(contract, agentWallets, userId);
      if (typeof wallet === 'string') return failWith(wallet);
      const { walletId, mainAccountId } = wallet;
      const terms = { kind: 'agent_transfer', userId, walletId, approvalId, conversationId, runId } as const;
      const used = await transfers.use(
        { ...terms, automationId, contract, mainAccountId, expiresAt: useBefore },
        cause,
      );
      if (!used.ok) return failWith('the approval cannot be used');
      return outcomeOf(used.value, await underWay(transfers, used.value, signal));
    },
  };
}

/** How long a run waits for a provider that does not answer. Real time; the operation goes on without it. */
const underWayWithinMs = 60_000;

/** Throws the signal's reason when it aborts first. */
async function underWay(transfers: AgentTransfers, operationId: OperationId, signal: AbortSignal) {
  const patience = AbortSignal.timeout(underWayWithinMs);
  try {
    return await transfers.untilUnderWay(operationId, AbortSignal.any([signal, patience]));
  } catch (error) {
    if (signal.aborted || !patience.aborted) throw error;
    return { status: 'submitted', failure: null } as const;
  }
}

const paused = 'an operator has paused withdrawals';
const noMainAccount = "the service does not know the user's main account, so nothing can be withdrawn";

/** The wallet that a contract needs, or why there is none: only what withdraws needs a main account (docs/decisions/runs.md, "Tools"). */
async function walletFor(
  { actions }: Contract,
  agentWallets: AgentWallets,
  userId: UserId,
): Promise<AgentWallet | string> {
  const wallet = await agentWallets.find(userId);
  if (wallet === 'none') return noWallet;
  if (wallet === 'unusable') return unusableWallet;
  const withdraws = actions.some(({ kind }) => kind === 'withdraw_to_owner');
  return withdraws && wallet.mainAccountId === null ? noMainAccount : wallet;
}

/** The contract in a tool's input, or what is wrong with it. */
function contractIn(input: JsonValue): Contract | string {
  if (!isJsonObject(input) || Object.keys(input).join() !== 'contract') return 'the input must be {contract}';
  const parsed = read(ContractShape, input['contract']);
  if (parsed.ok) return parsed.value;
  const issues = parsed.refusal.kind === 'invalid_input' ? parsed.refusal.issues : [];
  return `the contract is not valid: ${issues.map(({ path, message }) => `${path} ${message}`).join('; ')}`;
}

/** A named token must come with its true decimals: amounts were scaled by them. */
async function review(
  provider: WalletProvider,
  contract: Contract,
  walletId: Reviewed['walletId'],
): Promise<Reviewed | FailedReview> {
  const symbols = new Map<string, string>();
  for (const { tokenId, decimals } of pinnedTokens(contract)) {
    const token = await provider.findToken(tokenId);
    if (token === null) return refuse(`the token ${tokenId} is not known`);
    if (token.decimals !== decimals) return refuse(`the token ${tokenId} does not have ${decimals} decimals`);
    symbols.set(tokenId, token.symbol);
  }
  const words = contractWords(contract, (tokenId) => symbols.get(tokenId) ?? null);
  if (words === null)
    return refuse('the tokens cannot be told apart in what the user is asked; ask for less at a time');
  return { ok: true, walletId, contract, ...words };
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

function refuse(error: string): FailedReview {
  return { ok: false, error };
}
