import { contractTerms, contractWords, firstOf, fitting, summaryOf, taskSentence, termsOf } from '@app/consent';
import type { ConsentWords, Contract, Term } from '@app/consent';
import { instantWords, quoted, words, type Words } from '@app/kernel';
import type { AutomationDefinition } from '../definition/automation-definition';
import { actsExactly, actsWords, behaviorText } from '../definition/behavior';
import type { SymbolOf } from '../condition/token-symbols';
import { changeWords, type ChangeWords } from './change-words';
import { profileWords } from './profile-words';

/** Maximum length, in code points, of a quotation in a summary that is too long otherwise; the terms show all of it. */
const tightLengthMax = 60;
/** Maximum length, in code points, of a rule's name, which is never shortened: the limit of a definition. */
const nameLengthMax = 120;

/**
 * Consent text for a rule's contract: what it permits, then when the rule fires. Null if too long to show in full
 * (docs/decisions/approvals.md).
 */
export function contractConsent(
  definition: AutomationDefinition,
  contract: Contract,
  symbolOf: SymbolOf,
): ConsentWords | null {
  return contractWords(contract, symbolOf, {
    acts: actsExactly(definition, symbolOf),
    actsInShort: actsWords(definition, { symbolOf, quotedLengthMax: tightLengthMax }),
    task: definition.prompt,
    asWhom: profileWords(definition.profile),
  });
}

/** A rule as it is, with the symbols that the provider gave its tokens when it was defined. */
export interface PresentRule {
  readonly definition: AutomationDefinition;
  readonly symbolOf: SymbolOf;
}

/**
 * Consent text for a rule that an agent wants to create, or to put in place of a present one; the replaced one is then
 * described first. Its contract is asked for separately. Null if too long to show in full.
 * @param replaced the rule that the new definition replaces; null for a creation
 */
export function ruleConsent(
  definition: AutomationDefinition,
  symbolOf: SymbolOf,
  replaced: PresentRule | null,
): ConsentWords | null {
  const change = replaced === null ? null : changeWords(replaced, { definition, symbolOf });
  const lead = leadOf(definition, replaced);
  const { contract, ...rule } = definition;
  const asWhom = profileWords(definition.profile, tightLengthMax);
  const others = [taskSentence(rule.prompt), ...(asWhom === null ? [] : [words`It acts ${asWhom}.`])];
  const summary = firstOf([Infinity, tightLengthMax], (quotedLengthMax) => {
    const head = [words`${lead}.`, ...changeSentences(change, replaced)];
    const behavior = behaviorText(rule, symbolOf, quotedLengthMax);
    return contract === undefined
      ? summaryOf([...head, words`It moves nothing without asking you.`, behavior], others)
      : fitting(contract, symbolOf, (said) => [...head, apart, ...said, behavior], others);
  });
  return summary === null ? null : { summary, terms: ruleTerms(lead, definition, symbolOf, change) };
}

const apart = words`Once its contract is approved, which you are asked about apart, it does this without asking again:`;

/** Names the rule by its old name where it has one, and by its new one where that differs. */
function leadOf({ name }: AutomationDefinition, replaced: PresentRule | null): Words {
  const now = quoted(name, nameLengthMax);
  if (replaced === null) return words`Create the automation ${now}`;
  const old = quoted(replaced.definition.name, nameLengthMax);
  return replaced.definition.name === name
    ? words`Change the automation ${old}`
    : words`Change the automation ${old} and call it ${now}`;
}

/** The names of the members that change, and a warning that an authority which the old rule may have ends. */
function changeSentences(change: ChangeWords | null, replaced: PresentRule | null): readonly Words[] {
  if (change === null || replaced === null) return [];
  if (change.what === null) return [words`Nothing of it changes.`];
  const hasContract = replaced.definition.contract !== undefined;
  const ends = words`Where anything but its name changes, what its present contract allows ends with this.`;
  return [words`This changes ${change.what}.`, ...(hasContract ? [ends] : [])];
}

function ruleTerms(
  lead: Words,
  definition: AutomationDefinition,
  symbolOf: SymbolOf,
  change: ChangeWords | null,
): readonly Term[] {
  const { contract, firing } = definition;
  const acts = actsExactly(definition, symbolOf);
  const asWhom = profileWords(definition.profile);
  const from = termsOf({ 'from what': change?.fromWhat ?? null });
  if (contract !== undefined) {
    const allowed = contractTerms(contract, symbolOf, { acts, asWhom }).map(({ name, text }) =>
      name === 'what' ? { name, text: words`${lead}. Once its contract is approved apart: ${text}` } : { name, text },
    );
    return [...allowed, ...from];
  }
  const { trigger, maxOccurrences, endAt } = firing;
  const times = maxOccurrences === undefined ? null : words`${maxOccurrences} times at most`;
  const own = termsOf({
    what: lead,
    'at most': words`nothing without asking you`,
    'how often': trigger === 'once' || maxOccurrences === 1 ? words`once` : times,
    'until when': endAt === undefined ? null : instantWords(endAt),
    'when it acts': acts,
    'as whom': asWhom,
  });
  return [...own, ...from];
}
