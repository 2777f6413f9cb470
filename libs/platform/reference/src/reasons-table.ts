import { reasons } from '@app/kernel';

const begin = '<!-- reasons:begin -->';
const end = '<!-- reasons:end -->';

/** The table of reasons, as Markdown. */
function reasonsTable(): string {
  const rows = Object.entries(reasons).map(([name, { status, retryable, title }]) => {
    return `| \`${name}\` | ${status} | ${retryable ? 'yes' : 'no'} | ${title} |`;
  });
  return ['| reason | status | retryable | what it means |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

/** Replaces the table of reasons between the two marks in a guide's text. @throws Error for a text without them */
export function withReasons(markdown: string): string {
  const from = markdown.indexOf(begin);
  const to = markdown.indexOf(end);
  if (from < 0 || to < from) throw new Error(`no ${begin} … ${end}`);
  return `${markdown.slice(0, from)}${begin}\n\n${reasonsTable()}\n\n${markdown.slice(to)}`;
}
