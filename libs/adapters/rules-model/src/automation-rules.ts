import {
  compareDecimals,
  decimalOf,
  decimalText,
  epochMsOf,
  instantIn,
  instantOf,
  isJsonList,
  isJsonObject,
  multiply,
  parseDecimal,
  roundUp,
} from '@app/kernel';
import type { Decimal, Instant, JsonObject, JsonValue } from '@app/kernel';
import type { ContractAction } from '@app/consent';
import { automationIn, type AskedAutomation, type AskedWake } from './automation-phrases';
import type { ModelRequest, ToolExchange } from '@app/engine';
import { moneyStagesIn, type AskedAmount, type MoneyClause } from './money-phrases';
import { type Asset, candidatesIn, errorIn, proposeAction, resultOf, walletIn, whichOf } from './money-rules';
import { callTool, exchangesOf, type RuledAnswer } from './ruled-answer';

const nameLengthMax = 120;
/** The bounds of a contract if the sentence states none (docs/choices.md). */
const usesMax = 10;
const roomPercent = 125n;
const notAfterDays = 365;
const dayMs = 86_400_000;
/** A price is sampled every minute; one older than three minutes is not used. */
const lookEverySeconds = 60;
const priceAgeMaxSeconds = 180;

/** Facts gathered before the definition is written. */
interface Known {
  readonly watched: WatchedToken | null;
  readonly contract: JsonValue;
}

interface WatchedToken {
  readonly tokenId: string;
  readonly op: 'lt' | 'gt';
  readonly priceUsd: string;
}

/**
 * Answers sentences that ask for a rule or for the list of rules; null for any other sentence.
 * @param understands whether the rules can answer a sentence; a rule is only made for a task that they can do
 */
export function answerAboutAutomations(
  sentence: string,
  request: ModelRequest,
  understands: (sentence: string) => boolean,
): RuledAnswer | null {
  if (/^(?:(?:list|show|what are)(?: me)? )?my automations$/i.test(sentence)) return tellAutomations(request);
  const asked = automationIn(sentence);
  if (asked === null || !understands(asked.task)) return null;
  const made = exchangesOf(request).find(({ tool }) => tool === 'automation_create');
  if (made !== undefined) return { text: wordsFor(made) };
  const watched = findWatchedToken(asked.wake, request);
  if (watched !== null && 'answer' in watched) return watched.answer;
  const contract = contractFor(asked, watched, request);
  if (contract !== null && 'answer' in contract) return contract.answer;
  const known = { watched, contract: contract?.contract ?? null };
  return callTool(request, 'automation_create', { definition: definitionOf(sentence, asked, known) });
}

function tellAutomations(request: ModelRequest): RuledAnswer {
  const told = exchangesOf(request).find(({ tool }) => tool === 'automation_list');
  if (told === undefined) return callTool(request, 'automation_list', {});
  const { automations } = resultOf(told);
  if (!isJsonList(automations)) return { text: `I could not read your automations: ${errorIn(told)}.` };
  const lines = automations.flatMap((one) => {
    const { name, state } = isJsonObject(one) ? one : {};
    return typeof name === 'string' && typeof state === 'string' ? [`- ${name} (${state})`] : [];
  });
  return { text: lines.length === 0 ? 'You have no automations.' : `Your automations:\n${lines.join('\n')}` };
}

function findWatchedToken(
  wake: AskedWake,
  request: ModelRequest,
): WatchedToken | { readonly answer: RuledAnswer } | null {
  if (wake.kind !== 'price') return null;
  const { symbol, op, priceUsd } = wake;
  const by: JsonObject = symbol.includes(':') ? { tokenId: symbol } : { symbol };
  const told = exchangesOf(request).find(
    ({ tool, input }) => tool === 'token_price' && isJsonObject(input) && Object.values(input)[0] === symbol,
  );
  if (told === undefined) return { answer: callTool(request, 'token_price', by) };
  const candidates = candidatesIn(told);
  if (candidates !== null) return { answer: { text: `${whichOf(symbol, candidates)} Nothing was set up.` } };
  const { tokenId } = resultOf(told);
  if (typeof tokenId !== 'string') return { answer: { text: `I know no token ${symbol}, so nothing was set up.` } };
  return { tokenId, op, priceUsd };
}

/** The contract that spares the user a question each time; null if the task moves nothing, or its worth is unknown. */
function contractFor(
  { task }: AskedAutomation,
  watched: WatchedToken | null,
  request: ModelRequest,
): { readonly contract: JsonObject | null } | { readonly answer: RuledAnswer } | null {
  const [stage, ...later] = moneyStagesIn(task) ?? [];
  const [clause, ...beside] = stage ?? [];
  if (clause === undefined || later.length > 0 || beside.length > 0) return null;
  const wallet = walletIn(request);
  if ('answer' in wallet) return wallet;
  const { held, assets } = wallet;
  const proposed = proposeAction(request, clause, assets);
  if ('answer' in proposed) return proposed;
  const asOf = instantIn(resultOf(held)['asOf']);
  const worth = worthOf(clause, proposed.input, watched);
  if (asOf === null || worth === null) return { contract: null };
  return { contract: contractOf(proposed.action, worth, asOf) };
}

function contractOf(action: ContractAction, worth: Decimal, asOf: Instant): JsonObject {
  const perUse = roundUp(multiply(worth, decimalOf(roomPercent, 2)), 2);
  const bounds = {
    maxUses: usesMax,
    perUseUsd: decimalText(perUse),
    totalUsd: decimalText(multiply(perUse, decimalOf(BigInt(usesMax), 0))),
    notAfter: instantOf(epochMsOf(asOf) + notAfterDays * dayMs),
  };
  const contract = { type: 'ledger_intents_transfer', actions: [action], bounds } as const;
  // Reason for the assertion: a contract is JSON; only the compiler cannot see that interfaces are.
  return contract as unknown as JsonObject;
}

/** In US dollars, at the present price or the awaited one, whichever is higher; null without a price, and for a zero amount. */
function worthOf({ amount }: MoneyClause, input: Asset, watched: WatchedToken | null): Decimal | null {
  const { decimals, amountRaw, priceUsdDecimal } = input;
  const asked = amount.kind === 'all' ? null : parseDecimal(amount.text);
  if (amount.kind === 'usd') return positive(asked);
  const present = typeof priceUsdDecimal === 'string' ? parseDecimal(priceUsdDecimal) : null;
  const awaited = watched?.tokenId === input.tokenId ? parseDecimal(watched.priceUsd) : null;
  const price = greater(present, awaited);
  if (present === null || price === null || decimals === null) return null;
  const held = typeof amountRaw === 'string' ? decimalOf(BigInt(amountRaw), decimals) : null;
  const tokens = tokensOf(amount.kind, asked, held);
  return tokens === null ? null : positive(multiply(tokens, price));
}

function tokensOf(
  kind: Exclude<AskedAmount['kind'], 'usd'>,
  asked: Decimal | null,
  held: Decimal | null,
): Decimal | null {
  if (kind === 'tokens') return asked;
  if (kind === 'all' || held === null || asked === null) return held;
  return multiply(held, multiply(asked, decimalOf(1n, 2)));
}

function positive(number: Decimal | null): Decimal | null {
  return number === null || number.unscaled === 0n ? null : number;
}

function greater(one: Decimal | null, other: Decimal | null): Decimal | null {
  if (one === null || other === null) return one ?? other;
  return compareDecimals(one, other) > 0 ? one : other;
}

function definitionOf(sentence: string, { wake, task }: AskedAutomation, { watched, contract }: Known): JsonObject {
  const schedule: JsonObject = wake.kind === 'price' ? { kind: 'every', seconds: lookEverySeconds } : { ...wake };
  return {
    name: [...sentence].slice(0, nameLengthMax).join(''),
    prompt: task,
    conversation: 'new',
    wake: { kind: 'schedule', schedule },
    condition: watched === null ? null : conditionOn(watched),
    firing: { trigger: watched === null ? 'match' : 'edge', cooldownSeconds: 0, overlap: 'skip', retryForSeconds: 900 },
    ...(contract === null ? {} : { contract }),
  };
}

function conditionOn({ tokenId, op, priceUsd }: WatchedToken): JsonObject {
  const source = { kind: 'token_price', tokenId };
  const left = { binding: 'price', field: '/priceUsd' };
  return {
    bindings: [{ name: 'price', source, maxAgeSeconds: priceAgeMaxSeconds }],
    rule: { compare: { left, op, right: { value: priceUsd } } },
  };
}

function wordsFor(made: ToolExchange): string {
  switch (made.outcome) {
    case 'denied':
      return 'You denied it, so nothing was set up.';
    case 'expired':
      return 'The approval ended before it was used, so nothing was set up.';
    case 'error':
      return `It could not be set up: ${errorIn(made)}.`;
    case 'ok':
      return typeof resultOf(made)['contractApprovalId'] === 'string'
        ? 'It is set up. You are asked apart whether its runs may make the transfer by themselves; until you approve that, each of them asks you.'
        : 'It is set up.';
  }
}
