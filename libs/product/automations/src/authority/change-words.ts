import { renderContract } from '@app/consent';
import { capitalized, joined, quoted, quotedExactly, words, type JsonValue, type Words } from '@app/kernel';
import { canonicalText } from '@app/canonical';
import type { AutomationDefinition } from '../definition/automation-definition';
import { actsExactly, firingWords } from '../definition/behavior';
import type { SymbolOf } from '../condition/token-symbols';
import { profileWords } from './profile-words';

/** How the words of a change describe one member of a definition. */
interface Told {
  readonly noun: Words;
  say(this: void, definition: AutomationDefinition, symbolOf: SymbolOf): Words;
}

const acts: Told = {
  noun: words`when it acts`,
  say: actsExactly,
};

/** Every member of a definition: a missing one does not compile. */
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

/** The difference that an update makes to a rule, in words. */
export interface ChangeWords {
  /** The nouns of the members that change, each once: `its name, when it acts`. Null where none changes. */
  readonly what: Words | null;
  /** The old rule's name, and each member that changes, old and new, in full. */
  readonly fromWhat: Words;
}

interface Side {
  readonly definition: AutomationDefinition;
  readonly symbolOf: SymbolOf;
}

/**
 * Describes an update. Each side uses the symbols of its own time, except symbols that two tokens of both sides share.
 * Where the words of both sides are equal, their canonical JSON follows.
 */
export function changeWords(old: Side, next: Side): ChangeWords {
  // Reason for the assertion: `members` has the members of a definition and no others.
  const names = Object.keys(members) as (keyof AutomationDefinition)[];
  const changed = new Set(
    names.filter((name) => isChanged(name, old.definition, next.definition)).map((name) => members[name]),
  );
  const isShared = sharedIn([old, next]);
  const told = [...changed].map((member) => {
    const say = ({ definition, symbolOf }: Side): Words =>
      member.say(definition, (tokenId) => (isShared(symbolOf(tokenId)) ? null : symbolOf(tokenId)));
    const [was, is] = [say(old), say(next)];
    const written = ({ definition }: Side): Words =>
      was === is ? words`, written ${writtenOf(member, definition)}` : words``;
    return words`${capitalized(member.noun)}, before: ${was}${written(old)}; after: ${is}${written(next)}`;
  });
  const nouns = [...changed].map(({ noun }) => noun);
  return {
    what: nouns.length === 0 ? null : joined(nouns, ', '),
    fromWhat: joined([words`The automation ${quoted(old.definition.name, Infinity)}`, ...told], '. '),
  };
}

/** Returns whether two tokens of all the sides share a symbol. */
function sharedIn(sides: readonly Side[]): (symbol: string | null) => boolean {
  const tokens = new Map<string, Set<string>>();
  for (const { definition, symbolOf } of sides) {
    const recorded: SymbolOf = (tokenId) => {
      const symbol = symbolOf(tokenId);
      if (symbol !== null) tokens.set(symbol, new Set([...(tokens.get(symbol) ?? []), tokenId]));
      return symbol;
    };
    for (const { say } of Object.values(members)) say(definition, recorded);
  }
  return (symbol) => symbol !== null && (tokens.get(symbol)?.size ?? 0) > 1;
}

/** The canonical JSON of all members that share this description; a member that the definition lacks is null. */
function writtenOf(told: Told, definition: AutomationDefinition): Words {
  // Reason for the assertion: as above.
  const names = (Object.keys(members) as (keyof AutomationDefinition)[]).filter((name) => members[name] === told);
  const values = names.map((name) => definition[name] ?? null);
  // Reason for the assertion: the text is that of a list, in canonical form.
  const written = JSON.parse(canonicalText(values)) as readonly JsonValue[];
  const [only] = written;
  return quotedExactly(written.length === 1 && only !== undefined ? only : written, Infinity);
}

function isChanged(name: keyof AutomationDefinition, old: AutomationDefinition, next: AutomationDefinition): boolean {
  return canonicalText([old[name] ?? null]) !== canonicalText([next[name] ?? null]);
}
