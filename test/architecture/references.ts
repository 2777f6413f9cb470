import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { repository } from './sources';

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

/** Links of a Markdown page to files that do not exist in the repository. */
export function brokenLinks(path: string, text: string): string[] {
  const targets = [...text.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)].map(([, target]) => target ?? '');
  return targets
    .filter((target) => !/^(?:[a-z]+:|\/)/.test(target))
    .filter((target) => !existsSync(join(repository, dirname(path), target)));
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
