import {
  contractTerms,
  contractWords,
  fitting,
  instantWords,
  quotation,
  summaryOf,
  termsOf,
  type ConsentWords,
  type Contract,
  type Term,
} from '@app/consent';
import type { AutomationDefinition } from '../definition/automation-definition';
import { actsWords, behaviorText } from '../definition/behavior';
import type { SymbolOf } from '../definition/token-symbols';

/**
 * What a user is asked about the contract of a rule: what it allows, then what the rule waits for. Null where that is too long to be
 * shown whole (docs/decisions/approvals.md).
 */
export function contractConsent(
  definition: AutomationDefinition,
  contract: Contract,
  symbolOf: SymbolOf,
): ConsentWords | null {
  return contractWords(contract, symbolOf, { acts: actsWords(definition, symbolOf), task: definition.prompt });
}

/**
 * What a user is asked about a rule that an agent wants to create or change; its contract is asked for apart. Null as above.
 * @param verb what is done: `Create`, `Change`
 */
export function ruleConsent(verb: string, definition: AutomationDefinition, symbolOf: SymbolOf): ConsentWords | null {
  const { contract, ...rule } = definition;
  const lead = `${verb} the automation ${quotation(rule.name)}`;
  const quoted = { lead: 'Its task', text: rule.prompt };
  const behavior = behaviorText(rule, symbolOf);
  const summary =
    contract === undefined
      ? summaryOf([`${lead}.`, 'It moves nothing without asking you.', behavior], quoted)
      : fitting(contract, symbolOf, (words) => [`${lead}.`, apart, ...words, behavior], quoted);
  return summary === null ? null : { summary, terms: ruleTerms(lead, definition, symbolOf) };
}

const apart = 'Once its contract is approved, which you are asked about apart, it does this without asking again:';

function ruleTerms(lead: string, definition: AutomationDefinition, symbolOf: SymbolOf): readonly Term[] {
  const { contract, firing } = definition;
  const acts = actsWords(definition, symbolOf);
  if (contract !== undefined)
    return contractTerms(contract, symbolOf, acts).map(({ name, text }) =>
      name === 'what' ? { name, text: `${lead}. Once its contract is approved apart: ${text}` } : { name, text },
    );
  const { trigger, maxOccurrences, endAt } = firing;
  const times = maxOccurrences === undefined ? null : `${maxOccurrences} times at most`;
  return termsOf({
    what: lead,
    'at most': 'nothing without asking you',
    'how often': trigger === 'once' || maxOccurrences === 1 ? 'once' : times,
    'until when': endAt === undefined ? null : instantWords(endAt),
    'when it acts': acts,
  });
}
