import { renderContract } from '@app/consent';
import { capitalized, joined, quoted, words, type Words } from '@app/kernel';
import { canonicalText } from '@app/canonical';
import type { AutomationDefinition } from '../definition/automation-definition';
import { actsWords, firingWords } from '../definition/behavior';
import type { SymbolOf } from '../definition/token-symbols';
import { profileWords } from './profile-words';

/** A member of a definition as a change tells it. */
interface Told {
  readonly noun: Words;
  say(this: void, definition: AutomationDefinition, symbolOf: SymbolOf): Words;
}

const acts: Told = {
  noun: words`when it acts`,
  say: (definition, symbolOf) => actsWords(definition, { symbolOf, quotedLengthMax: Infinity }),
};

/** Every member of a definition: one that is missing here does not compile. */
const members: { readonly [Member in keyof AutomationDefinition]-?: Told } = {
  name: { noun: words`its name`, say: ({ name }) => quoted(name, Infinity) },
  prompt: { noun: words`its task`, say: ({ prompt }) => quoted(prompt, Infinity) },
  profile: {
    noun: words`as whom it acts`,
    say: ({ profile }) => profileWords(profile) ?? words`no profile of its own`,
  },
  conversation: {
    noun: words`its conversation`,
    say: ({ conversation }) => (conversation === 'new' ? words`a new one each time` : words`one and the same`),
  },
  wake: acts,
  condition: acts,
  firing: { noun: words`how it fires`, say: (definition) => firingWords(definition) },
  contract: {
    noun: words`its contract`,
    say: ({ contract }, symbolOf) => (contract === undefined ? words`none` : renderContract(contract, symbolOf)),
  },
};

/** What an update makes of a rule. */
export interface ChangeWords {
  /** The members that change, each once: `its name, when it acts`. Null where none does. */
  readonly what: Words | null;
  /** The old rule's name, and each member that changes, old and new, whole. */
  readonly fromWhat: Words;
}

/** What becomes of the old rule; each side with the symbols of its own time. */
export function changeWords(
  old: { readonly definition: AutomationDefinition; readonly symbolOf: SymbolOf },
  next: { readonly definition: AutomationDefinition; readonly symbolOf: SymbolOf },
): ChangeWords {
  // Reason for the assertion: `members` has the members of a definition and no others.
  const names = Object.keys(members) as (keyof AutomationDefinition)[];
  const changed = new Set(
    names.filter((name) => isChanged(name, old.definition, next.definition)).map((name) => members[name]),
  );
  const told = [...changed].map(({ noun, say }) => {
    const [was, is] = [say(old.definition, old.symbolOf), say(next.definition, next.symbolOf)];
    return words`${capitalized(noun)}, before: ${was}; after: ${is}`;
  });
  const nouns = [...changed].map(({ noun }) => noun);
  return {
    what: nouns.length === 0 ? null : joined(nouns, ', '),
    fromWhat: joined([words`The automation ${quoted(old.definition.name, Infinity)}`, ...told], '. '),
  };
}

function isChanged(name: keyof AutomationDefinition, old: AutomationDefinition, next: AutomationDefinition): boolean {
  return canonicalText([old[name] ?? null]) !== canonicalText([next[name] ?? null]);
}
