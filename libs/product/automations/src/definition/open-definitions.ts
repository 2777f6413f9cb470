import { openMembers, type KeyRing } from '@app/sealing';
import type { StoredCondition } from '../condition/condition';
import type { StoredDefinition } from './automation-definition';

/**
 * Returns rows of a read model with the words of their definitions open, or erased. Reads the keys that are not in memory with one call.
 * Throws Unavailable.
 */
export async function openDefinitions<Row extends { readonly definition: StoredDefinition }>(
  keys: KeyRing,
  rows: readonly Row[],
): Promise<Row[]> {
  const sealed = rows.map(({ definition: { name, prompt, profile, condition } }) => {
    return { name, prompt, profile, rule: condition?.rule };
  });
  const opened = await openMembers(keys, sealed, ['name', 'prompt', 'profile', 'rule']);
  return rows.map((row, index) => {
    const words = opened[index];
    return words === undefined ? row : { ...row, definition: withWords(row.definition, words) };
  });
}

interface Words extends Pick<StoredDefinition, 'name' | 'prompt'> {
  readonly profile: StoredDefinition['profile'] | undefined;
  readonly rule: StoredCondition['rule'] | undefined;
}

function withWords(definition: StoredDefinition, { name, prompt, profile, rule }: Words): StoredDefinition {
  const { condition } = definition;
  return {
    ...definition,
    name,
    prompt,
    ...(profile !== undefined && { profile }),
    condition: condition === null || rule === undefined ? condition : { ...condition, rule },
  };
}
