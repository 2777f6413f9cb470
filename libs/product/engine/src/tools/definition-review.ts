import { checkDefinition, parseDefinition, pinnedTokens, ruleConsent } from '@app/automations';
import type { AutomationDefinition, PresentRule } from '@app/automations';
import { words as say, type Clock, type JsonValue } from '@app/kernel';
import type { EngineCatalog } from '@app/runs';
import type { Token, WalletProvider } from '@app/wallets';
import type { FailedReview, Reviewed } from '../tool';
import { wordsFor } from './automation-words';

/** The context in which a definition is reviewed. */
interface Surroundings {
  readonly provider: WalletProvider;
  readonly offer: EngineCatalog;
  readonly clock: Clock;
}

/**
 * Returns the question for the user about a definition. Faults are reported to the model instead, so that no user is asked for the
 * impossible.
 * @param replaced the rule that the definition is to replace; null for a creation. @throws Unavailable
 */
export async function reviewDefinition(
  value: JsonValue,
  replaced: PresentRule | null,
  { provider, offer, clock }: Surroundings,
): Promise<Reviewed | FailedReview> {
  const parsed = parseDefinition(value);
  if (!parsed.ok) return { ok: false, error: wordsFor(parsed.refusal) };
  const tokens = await tokensOf(provider, parsed.value);
  const checked = checkDefinition(parsed.value, { now: clock.now(), offer, tokens });
  if (!checked.ok) return { ok: false, error: wordsFor(checked.refusal) };
  const symbolOf = (tokenId: string) => tokens.find((token) => token.tokenId === tokenId)?.symbol ?? null;
  const words = ruleConsent(parsed.value, symbolOf, replaced);
  if (words === null)
    return { ok: false, error: say`the rule is too long for the user to be shown whole; make it simpler` };
  // The user agrees to the reviewed input itself; its contract is opened, with its own approval, once the rule exists.
  return { ok: true, walletId: null, contract: null, ...words };
}

/** The tokens that the contract pins and the condition watches, as far as the provider knows them. */
async function tokensOf(provider: WalletProvider, definition: AutomationDefinition): Promise<readonly Token[]> {
  const watched = (definition.condition?.bindings ?? []).flatMap(({ source }) =>
    'tokenId' in source ? [source.tokenId] : [],
  );
  const ids = new Set([...pinnedTokens(definition).map(({ tokenId }) => tokenId), ...watched]);
  const found = await Promise.all([...ids].map(async (tokenId) => provider.findToken(tokenId)));
  return found.filter((token) => token !== null);
}
