import type { Mark, Marks } from '@app/kernel';
import { marksByCategory } from './stream-kinds';

const begin = '<!-- members:begin -->';
const end = '<!-- members:end -->';

/** Every member of every stored event, by stream, as a table in Markdown: the personal ones are sealed. */
function membersTable(): string {
  const rows = marksByCategory.flatMap(({ category, members }) =>
    Object.entries(members).map(([type, marks]) => {
      const of = (mark: Mark) =>
        pathsOf(marks, mark)
          .map((path) => `\`${path}\``)
          .join(', ');
      return `| \`${category}\` | \`${type}\` | ${of('personal')} | ${of('clear')} |`;
    }),
  );
  return ['| stream | event | personal: sealed | clear |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

function pathsOf(marks: Mark | Marks, wanted: Mark): string[] {
  if (typeof marks === 'string') return [];
  return Object.entries(marks).flatMap(([name, mark]) => {
    if (mark === wanted) return [name];
    return pathsOf(mark, wanted).map((path) => `${name}.${path}`);
  });
}

/** Replaces the table of members between the two marks in a page's text. @throws Error for a text without them */
export function withMembers(markdown: string): string {
  const [from, to] = [markdown.indexOf(begin), markdown.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`no ${begin} … ${end}`);
  return `${markdown.slice(0, from)}${begin}\n\n${membersTable()}\n\n${markdown.slice(to)}`;
}
