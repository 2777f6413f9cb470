import type { Issue } from './refusal';
import { joined, quoted, spelled, words, type Words } from './words';

/**
 * The parts of an input that failed, in their order: `/name “is required”; /bounds “is not known”`. A pointer has names of the input's
 * author, and a message may have some of a schema's author, so each is quoted where it has no closed form.
 */
export function issueWords(issues: readonly Issue[]): Words {
  const each = issues.map(({ path, message }) =>
    path === '' ? quoted(message) : words`${spelled(path, 'pointer')} ${quoted(message)}`,
  );
  return joined(each, '; ');
}
