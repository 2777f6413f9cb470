import type { Issue } from '../refusal';
import { joined, quoted, spelled, words, type Words } from './words';

/**
 * The issues of an input, in order: `/name “is required”; /bounds “is not known”`. A pointer contains names chosen by the input's author,
 * and a message may contain some of a schema's author, so each is quoted unless it has a closed form.
 */
export function issueWords(issues: readonly Issue[]): Words {
  const each = issues.map(({ path, message }) =>
    path === '' ? quoted(message) : words`${spelled(path, 'pointer')} ${quoted(message)}`,
  );
  return joined(each, '; ');
}
