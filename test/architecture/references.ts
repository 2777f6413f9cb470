import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { filesUnder, repository } from './sources';

/**
 * A reference to a page of `docs/`, followed by quoted terms: `docs/decisions/money.md, "Settlement"`. Links are relative to their own
 * folder.
 */
const toPage = /(?<!\]\()docs\/[\w/-]+\.md(?:, (?:"[^"]+"|`[^`]+`))*/g;
/** A reference to the contract: `(specification, "Errors", rule 1)`. */
const toSpecification = /[Ss]pecification(?:, (?:"[^"]+"|`[^`]+`))(?:(?:,| and| or) (?:"[^"]+"|`[^`]+`))*/g;
const toDecision = /docs\/adr\/\d{4}(?![\w-]*\.md)/g;
/** Names of pages outside the repository. */
const outside = /(?<![\w/-])(?:decisions\.md|partner-agent-api\.md)(?!\w)/g;

const specificationPage = 'docs/specification.md';

/** Broken references of a text: to a missing page, to a term that its page does not define, or to a page outside the repository. */
export function brokenReferences(text: string): string[] {
  // Comments break lines anywhere.
  const prose = text.replace(/\n[ \t]*(?:\*|\/\/|#)?[ \t]*/g, ' ');
  return [
    ...[...prose.matchAll(toPage)].flatMap(([reference]) =>
      brokenTerms(reference, /^[^,]+/.exec(reference)?.[0] ?? ''),
    ),
    ...[...prose.matchAll(toSpecification)].flatMap(([reference]) => brokenTerms(reference, specificationPage)),
    ...[...prose.matchAll(toDecision)].map(([reference]) => reference),
    ...[...prose.matchAll(outside)].map(([reference]) => reference),
  ];
}

/** Links of a Markdown page to files, or to headings of pages, that do not exist in the repository. */
export function brokenLinks(path: string, text: string): string[] {
  const links = [...text.matchAll(/\]\(([^)#\s]*)(?:#([^)\s]*))?\)/g)];
  return links
    .map(([, target = '', anchor]) => ({ target, anchor }))
    .filter(({ target }) => !/^(?:[a-z]+:|\/)/.test(target))
    .filter(({ target, anchor }) => {
      const file = join(repository, target === '' ? path : join(dirname(path), target));
      if (!existsSync(file)) return true;
      return anchor !== undefined && !anchorsOf(target === '' ? text : readFileSync(file, 'utf8')).has(anchor);
    })
    .map(({ target, anchor }) => (anchor === undefined ? target : `${target}#${anchor}`));
}

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf(page: string): Set<string> {
  const headings = [...page.replace(/^```.*?^```/gms, '').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading);
  const written = headings.map((heading) =>
    heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .trim()
      .toLowerCase(),
  );
  return new Set(written.map((words) => words.replace(/[^\p{L}\p{N}\s_-]/gu, '').replace(/\s/g, '-')));
}

/** Files of code that exist, by their path and by each of its ends: `next.ts`, `run/next.ts`. */
const codePaths = new Set(
  filesUnder('.').flatMap((path) => [...path.split('/').keys()].map((from) => path.split('/').slice(from).join('/'))),
);

/** Names of code files on a page, in backquotes, that no file of the repository has. A name with `*` or `<name>` is a pattern. */
export function missingFiles(text: string): string[] {
  const named = [...text.matchAll(/`(?:[./]*\/)?([\w/*<>.-]+\.(?:ts|mts|mjs|cjs))`/g)].map(([, name = '']) => name);
  return named.filter((name) => !/[*<]/.test(name) && !codePaths.has(name));
}

/** Names of classes and types on a page, in backquotes, that the code has not: `FoldedStates`. */
export function missingNames(text: string, words: ReadonlySet<string>): string[] {
  return [...text.matchAll(/`([A-Z][a-z]+(?:[A-Z][a-z]+)+)`/g)]
    .map(([, name = '']) => name)
    .filter((name) => !words.has(name));
}

/** Names in the first column of a room's tables of files that no file or folder of the room has. */
export function missingParts(room: string, readme: string): string[] {
  const tables = [...readme.matchAll(/^\| (?:file|folder|file or folder) +\|.*\n\|[ |:-]+\n((?:\|.*\n?)+)/gm)];
  const cells = tables.flatMap(([, rows = '']) => rows.split('\n').map((row) => row.split('|')[1] ?? ''));
  const named = cells.flatMap((cell) => [...cell.matchAll(/`([\w/.-]+)`/g)].map(([, name = '']) => name));
  const paths = filesUnder(room).map((path) => path.slice(room.length));
  return named
    .map((name) => name.replace(/\/$/, ''))
    .filter((name) => name !== '.' && !paths.some((path) => new RegExp(`/${name}(?:[./]|$)`).test(path)));
}

/** The commands that a decider's file declares: the literals of their `type`. */
export function commandsOf(decider: string): string[] {
  const types = [...decider.matchAll(/readonly type: ((?:'[A-Z]\w+'(?: \| )?)+)/g)].map(
    ([, literals]) => literals ?? '',
  );
  return types.flatMap((literals) => [...literals.matchAll(/'(\w+)'/g)].map(([, command]) => command ?? ''));
}

function brokenTerms(reference: string, page: string): string[] {
  const file = join(repository, page);
  if (!existsSync(file)) return [reference];
  const defined = termsOf(readFileSync(file, 'utf8'));
  const named = [...reference.matchAll(/["`]([^"`]+)["`]/g)].map(([, term]) => term ?? '');
  return named.every((term) => defined.has(term)) ? [] : [reference];
}

/**
 * The terms that a page defines: its headings, each also without its parentheses; the first cells of its tables; and bold text or code
 * before a definition.
 */
function termsOf(page: string): Set<string> {
  const headings = [...page.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading ?? '');
  const cells = [...page.matchAll(/^\| ([^|]+?) +\|/gm)].map(([, cell]) => cell ?? '');
  const rows = cells.flatMap((cell) => cell.split(/, (?=`)/)).map((cell) => cell.replace(/^`|`$/g, ''));
  const labels = [...page.matchAll(/`([\w.]+)`:/g)].map(([, label]) => label ?? '');
  const shortened = headings.map((heading) => heading.replace(/ \(.*$/, ''));
  return new Set([...headings, ...shortened, ...rows, ...labels]);
}
