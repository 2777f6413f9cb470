import { codePointLength, isJsonObject } from '@app/kernel';
import type { ModelRequest, OfferedArtifact, ToolExchange } from '@app/engine';
import { callTool, exchangesOf, type RuledAnswer } from './ruled-answer';

/** Number of sentences of the text that are quoted, and the maximum length. */
const quotedSentences = 3;
const quotedLengthMax = 600;

/** Answers `summarize NAME` with what rules can say about the newest file of that name; null for any other sentence. */
export function answerAboutArtifacts(request: ModelRequest): RuledAnswer | null {
  const name = /^\s*summari[sz]e\s+(\S{1,140})\s*$/i.exec(request.turn.input)?.[1];
  if (name === undefined) return null;
  const artifact = findNewest(request.artifacts, name);
  if (artifact === undefined) return { text: `This conversation has no file ${name}.` };
  const read = exchangesOf(request).find(({ tool }) => tool === 'artifact_read');
  if (read === undefined) return callTool(request, 'artifact_read', { artifactId: artifact.artifactId });
  return { text: summaryOf(artifact, read) };
}

/** Matches the name as written, else without final punctuation, else ignoring case. */
function findNewest(artifacts: readonly OfferedArtifact[], given: string): OfferedArtifact | undefined {
  const bare = given.replace(/[?!.]{1,10}$/, '');
  return (
    artifacts.findLast(({ name }) => name === given) ??
    artifacts.findLast(({ name }) => name === bare) ??
    artifacts.findLast(({ name }) => [given, bare].some((one) => one.toLowerCase() === name.toLowerCase()))
  );
}

function summaryOf({ name, mediaType, bytes }: OfferedArtifact, { outcome, result }: ToolExchange): string {
  const head = `${name} is ${mediaType}, ${countOf(bytes, 'byte')}.`;
  const { text, totalLength, error } = isJsonObject(result) ? result : {};
  if (outcome !== 'ok' || typeof text !== 'string') {
    return `${head} I could not read it: ${typeof error === 'string' ? error : 'no reason was given'}.`;
  }
  const lines = text === '' ? 0 : text.replace(/\r?\n$/, '').split('\n').length;
  const words = text.match(/\S+/g)?.length ?? 0;
  const counts = `${countOf(lines, 'line')} and ${countOf(words, 'word')}`;
  const partly =
    typeof totalLength === 'number' && totalLength > codePointLength(text)
      ? `The beginning that I read, of ${totalLength} characters in all, has`
      : 'It has';
  const quoted = words === 0 ? '' : ` It begins: “${beginningOf(text)}”`;
  return `${head} ${partly} ${counts}.${quoted} I am a model of rules, so I count and quote, and understand none of it.`;
}

/** The first sentences, in one line. */
function beginningOf(text: string): string {
  const line = text
    // Bound the text, because the pattern below may read each character once for each one before it.
    .slice(0, 2 * quotedLengthMax)
    .replace(/\s+/g, ' ')
    .trim();
  const sentences =
    line
      .match(/[^.!?]*[.!?]+(?=\s|$)\s?/g)
      ?.slice(0, quotedSentences)
      .join('')
      .trim() ?? '';
  const quoted = sentences === '' ? line : sentences;
  return quoted.length > quotedLengthMax ? `${[...quoted.slice(0, quotedLengthMax)].slice(0, -1).join('')}…` : quoted;
}

function countOf(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
