import * as ts from 'typescript';
import { nodesOf, type Source } from './sources';

/** Openings that make a clause of a comment, where a noun or a verb says it: "The outcome of …", "Returns …". */
const opening = /^(What|Who|Whose|Whom|Of)\b/;
/** Words that had several meanings here, or that nobody says any more, each with a plain one in CONTRIBUTING.md. */
const dialect =
  /\b(told|looked|owed|stands|beside|whom|rests|com(?:es?|ing) to|came to|on (?:its|their) way|under way|to the letter)\b/gi;

/** A comment's line: its words, and whether the comment begins there. */
interface CommentLine {
  readonly line: number;
  readonly words: string;
  readonly begins: boolean;
}

/** The lines of a file's comments, without their marks. A `//` after a line that is one goes on with that comment. */
function commentLines({ lines }: Pick<Source, 'lines'>): CommentLine[] {
  let isInBlock = false;
  let isFirst = false;
  let wasLine = false;
  return lines.flatMap((text, index): CommentLine[] => {
    const block = isInBlock ? /^\s*\*?(?!\/)(.*)$/.exec(text) : /^\s*\/\*\*?(.*)$/.exec(text);
    if (block !== null) {
      const begins = isInBlock ? isFirst : true;
      isInBlock = !text.includes('*/');
      const words = (block[1] ?? '').replace(/\*\/.*$/, '').trim();
      isFirst = begins && words === '';
      wasLine = false;
      return [{ line: index + 1, words, begins }];
    }
    isInBlock &&= !text.includes('*/');
    const [, before = '', words] = /^(|.*?\s)\/\/ (.*)$/.exec(text) ?? [];
    const goesOn = wasLine && before.trim() === '';
    wasLine = words !== undefined && before.trim() === '';
    return words === undefined ? [] : [{ line: index + 1, words: words.trim(), begins: !goesOn }];
  });
}

/** Places where a comment opens or goes on in the dialect, as `path:line word`. */
export function dialectIn(source: Pick<Source, 'path' | 'lines'>): string[] {
  return commentLines(source).flatMap(({ line, words, begins }) => {
    const found = wordsIn(words);
    const tagged = /@(?:param \S+|returns?|throws) (What|Who|Whose|Whom|Of)\b/.exec(words)?.[1];
    const opens = begins ? opening.exec(words)?.[1] : undefined;
    const all = [...(opens === undefined ? [] : [opens]), ...(tagged === undefined ? [] : [tagged]), ...found];
    return all.map((word) => `${source.path}:${line} ${word}`);
  });
}

/** Places where a page uses the dialect outside of code, as `path:line word`. */
export function dialectOnPage({ path, lines }: Pick<Source, 'path' | 'lines'>): string[] {
  let isCode = false;
  return lines.flatMap((line, index) => {
    if (line.trimStart().startsWith('```')) isCode = !isCode;
    return isCode ? [] : wordsIn(line.replaceAll(/`[^`]*`/g, '')).map((word) => `${path}:${index + 1} ${word}`);
  });
}

/** Places where a message uses the dialect: a text of several words in the code that is no SQL, as `path:line word`. */
export function dialectInMessages({ path, lines, tree }: Source): string[] {
  if (wordsIn(lines.join('\n')).length === 0) return [];
  return [...nodesOf(tree)].flatMap((node) => {
    const isText = ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node);
    if (!isText || !/\S\s+\S/.test(node.text) || /\b(SELECT|UPDATE|INSERT)\b/.test(node.text)) return [];
    const line = tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1;
    return wordsIn(node.text).map((word) => `${path}:${line} ${word}`);
  });
}

const wordsIn = (text: string): string[] => [...text.matchAll(dialect)].map(([word]) => word.toLowerCase());
