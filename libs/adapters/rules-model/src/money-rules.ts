import { unscaledAmount, type ContractAction, type TokenChoice } from '@app/consent';
import { isJsonList, isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import type { ModelRequest, ToolExchange } from '@app/engine';
import { callTool, exchangesOf, type RuledAnswer, type RuledCall } from './ruled-answer';
import { moneyStagesIn, quantityOf, type MoneyClause } from './money-phrases';

/** A token as the wallet's tools describe it. */
interface KnownToken {
  readonly tokenId: string;
  readonly symbol: string;
  readonly decimals: number | null;
}

/** A token of the wallet, with everything else that the tool returned for it. */
export type Asset = KnownToken & JsonObject;

/** Answers sentences about money, one call after the other; null for any other sentence. */
export function answerAboutMoney(sentence: string, request: ModelRequest): RuledAnswer | null {
  if (/^(?:(?:what is|what's|show me|show|tell me) )?(?:my |the )?(?:wallet )?balances?$/i.test(sentence)) {
    return tellBalance(request);
  }
  const [, symbol] = /^(?:what is the |what's the |tell me the )?price of (\S{1,512})$/i.exec(sentence) ?? [];
  if (symbol !== undefined) return tellPrice(request, symbol);
  const stages = moneyStagesIn(sentence);
  return stages === null ? null : transfer(request, stages);
}

function tellBalance(request: ModelRequest): RuledAnswer {
  const wallet = walletIn(request);
  if ('answer' in wallet) return wallet.answer;
  const { held, assets } = wallet;
  if (hasNoWallet(held)) return { text: 'You have no wallet yet.' };
  if (assets.length === 0) return { text: 'The wallet is empty.' };
  return { text: `You hold:\n${assets.map((asset) => `- ${assetInWords(asset)}`).join('\n')}` };
}

function tellPrice(request: ModelRequest, symbol: string): RuledAnswer {
  const told = exchangesOf(request).find(({ tool }) => tool === 'token_price');
  if (told === undefined)
    return callTool(request, 'token_price', symbol.includes(':') ? { tokenId: symbol } : { symbol });
  const candidates = candidatesIn(told);
  if (candidates !== null) return { text: whichOf(symbol, candidates) };
  const { symbol: name, priceUsdDecimal } = resultOf(told);
  if (typeof name !== 'string') return { text: `I could not read the price: ${errorIn(told)}.` };
  if (typeof priceUsdDecimal !== 'string') return { text: `${name} has no price now.` };
  return { text: `${name} is at $${priceUsdDecimal}.` };
}

/** Reads the wallet's balances, then makes the transfers stage by stage; each asks the user. */
function transfer(request: ModelRequest, stages: readonly (readonly MoneyClause[])[]): RuledAnswer {
  const made = exchangesOf(request).filter(({ tool }) => tool === 'intents_transfer');
  const stage = stageAfter(made.length, stages);
  const failed = made.find(({ outcome }) => outcome !== 'ok');
  if (failed !== undefined || stage === null) return { text: wordsFor(made, failed) };
  const wallet = walletIn(request);
  if ('answer' in wallet) return wallet.answer;
  const { held, assets } = wallet;
  if (hasNoWallet(held)) return { text: 'You have no wallet yet, so nothing was moved.' };
  const calls: RuledCall[] = [];
  for (const clause of stage) {
    const answer = propose(request, clause, assets);
    // If one of them still needs another call or a reply to the user, that goes first.
    if ('text' in answer || answer.calls.some(({ tool }) => tool !== 'intents_transfer')) return answer;
    calls.push(...answer.calls);
  }
  return { calls };
}

/** The stage that follows after `made` transfers; null when all were made. */
function stageAfter(made: number, stages: readonly (readonly MoneyClause[])[]): readonly MoneyClause[] | null {
  let before = 0;
  for (const stage of stages) {
    if (made <= before) return stage;
    before += stage.length;
  }
  return null;
}

function propose(request: ModelRequest, clause: MoneyClause, assets: readonly Asset[]): RuledAnswer {
  const proposed = proposeAction(request, clause, assets);
  return 'answer' in proposed ? proposed.answer : callTransfer(request, proposed.action);
}

/** A clause as a contract's action, with its input token; or the call or reply that must precede it. */
export function proposeAction(
  request: ModelRequest,
  clause: MoneyClause,
  assets: readonly Asset[],
): { readonly action: ContractAction; readonly input: Asset } | { readonly answer: RuledAnswer } {
  const [input, ...others] = tokensNamed(clause.symbol, assets);
  if (others.length > 0)
    return { answer: { text: `${whichOf(clause.symbol, tokensNamed(clause.symbol, assets))} Nothing was moved.` } };
  if (input === undefined) return { answer: { text: `The wallet holds no ${clause.symbol}, so nothing was moved.` } };
  const output = clause.toSymbol === null ? null : outputOf(request, clause.toSymbol, assets);
  if (output !== null && 'answer' in output) return output;
  const action = actionFor(clause, input, output);
  return 'text' in action ? { answer: action } : { action, input };
}

function outputOf(
  request: ModelRequest,
  toSymbol: string,
  assets: readonly Asset[],
): KnownToken | { readonly answer: RuledAnswer } {
  const named = tokensNamed(toSymbol, [...assets, ...pricedTokens(request)]);
  if (named.length > 1) return { answer: { text: `${whichOf(toSymbol, named)} Nothing was moved.` } };
  const [output] = named;
  if (output !== undefined) return output;
  const asked = exchangesOf(request).find(
    ({ tool, input: given }) => tool === 'token_price' && isJsonObject(given) && given['symbol'] === toSymbol,
  );
  const candidates = asked === undefined ? null : candidatesIn(asked);
  if (candidates !== null) return { answer: { text: `${whichOf(toSymbol, candidates)} Nothing was moved.` } };
  if (asked !== undefined) return { answer: { text: `I know no token ${toSymbol}, so nothing was moved.` } };
  return { answer: callTool(request, 'token_price', { symbol: toSymbol }) };
}

function actionFor(
  { kind, amount }: MoneyClause,
  input: KnownToken,
  output: KnownToken | null,
): ContractAction | { readonly text: string } {
  const from = pin(input);
  const to = output === null ? null : pin(output);
  const quantity = input.decimals === null ? null : quantityOf(amount, input.decimals);
  if (from === null || quantity === null) {
    return { text: `That amount of ${input.symbol} cannot be expressed exactly, so nothing was moved.` };
  }
  if (kind === 'withdraw') return { kind: 'withdraw_to_owner', input: from, quantity };
  if (to === null) {
    return { text: `${output?.symbol ?? 'That token'} cannot be named in a contract, so nothing was moved.` };
  }
  return { kind: 'swap', input: from, output: to, quantity };
}

function callTransfer(request: ModelRequest, action: ContractAction): RuledAnswer {
  const contract = { type: 'ledger_intents_transfer', actions: [action] } as const;
  // Reason for the assertion: a contract is JSON; only the compiler cannot see that interfaces are.
  return callTool(request, 'intents_transfer', { contract: contract as unknown as JsonObject });
}

function wordsFor(made: readonly ToolExchange[], failed: ToolExchange | undefined): string {
  const on = made.length === 1 ? 'The transfer is on its way.' : `All ${made.length} transfers are on their way.`;
  if (failed === undefined) return `${on} What comes of it is reported apart.`;
  if (failed.outcome === 'denied') return 'You denied it, so nothing was moved by it.';
  if (failed.outcome === 'expired') return 'The approval ended before it was used, so nothing was moved by it.';
  return `It could not be done: ${errorIn(failed)}.`;
}

/** The tokens with that name, each once. NEAR means wNEAR (docs/decisions/money.md). */
function tokensNamed<Known extends KnownToken>(name: string, tokens: readonly Known[]): readonly Known[] {
  const wanted = name.toLowerCase() === 'near' ? 'wnear' : name.toLowerCase();
  const named = tokens.filter(({ symbol, tokenId }) => symbol.toLowerCase() === wanted || tokenId === name);
  return [...new Map(named.map((token) => [token.tokenId, token])).values()];
}

/** The candidates if `token_price` found several tokens with a symbol; null if it found one, or none. */
export function candidatesIn(exchange: ToolExchange): readonly KnownToken[] | null {
  const { candidates } = resultOf(exchange);
  return isJsonList(candidates) ? tokensIn(candidates) : null;
}

/** Asks which token is meant, because a symbol shared by several tokens is ambiguous. */
export function whichOf(symbol: string, candidates: readonly KnownToken[]): string {
  return `Several tokens are called ${symbol}, so name one by its id: ${candidates.map(({ tokenId }) => tokenId).join(', ')}.`;
}

function pin({ tokenId, decimals }: KnownToken): TokenChoice | null {
  return decimals === null || !tokenId.startsWith('nep141:') ? null : { pinned: { tokenId, decimals } };
}

function pricedTokens(request: ModelRequest): KnownToken[] {
  return exchangesOf(request).flatMap((exchange) =>
    exchange.tool === 'token_price' ? tokensIn([resultOf(exchange)]) : [],
  );
}

function hasNoWallet(told: ToolExchange): boolean {
  return resultOf(told)['wallet'] === null;
}

/** The wallet's assets, and the call that returned them; or that call as the answer, or why it failed. */
export function walletIn(
  request: ModelRequest,
): { readonly held: ToolExchange; readonly assets: readonly Asset[] } | { readonly answer: RuledAnswer } {
  const held = exchangesOf(request).find(({ tool }) => tool === 'wallet_balances');
  if (held === undefined) return { answer: callTool(request, 'wallet_balances', {}) };
  const { assets } = resultOf(held);
  if (isJsonList(assets)) return { held, assets: tokensIn(assets) };
  return { answer: { text: `I could not read the wallet: ${errorIn(held)}.` } };
}

function tokensIn(values: readonly JsonValue[]): Asset[] {
  return values.flatMap((value) => {
    if (!isJsonObject(value)) return [];
    const { tokenId, symbol, decimals } = value;
    if (typeof tokenId !== 'string' || typeof symbol !== 'string') return [];
    return [{ ...value, tokenId, symbol, decimals: typeof decimals === 'number' ? decimals : null }];
  });
}

function assetInWords({ symbol, decimals, amountRaw, valueUsdCents }: Asset): string {
  if (typeof amountRaw !== 'string') return symbol;
  const amount = decimals === null ? `${amountRaw} of the smallest unit of` : unscaledAmount(amountRaw, decimals);
  return typeof valueUsdCents === 'string'
    ? `${amount} ${symbol}, worth $${unscaledAmount(valueUsdCents, 2)}`
    : `${amount} ${symbol}`;
}

export function resultOf({ result }: ToolExchange): JsonObject {
  return isJsonObject(result) ? result : {};
}

/** The tool's message about its failure. */
export function errorIn(exchange: ToolExchange): string {
  const { error } = resultOf(exchange);
  return typeof error === 'string' ? error : 'no reason was given';
}
