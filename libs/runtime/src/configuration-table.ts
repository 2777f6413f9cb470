import { variables } from './configuration';

/** The reference of all environment variables as a Markdown page: the text of docs/configuration.md. */
export function configurationPage(): string {
  const rows = Object.entries(variables).map(([name, variable]) => {
    const { desc, choices, default: fallback }: Described = variable;
    const meaning = choices === undefined ? desc : `${desc} (${choices.map(code).join(' or ')})`;
    const none = fallback === undefined || (Array.isArray(fallback) && fallback.length === 0);
    return `| ${code(name)} | ${none ? '' : code(fallback)} | ${cell(meaning ?? '')} |`;
  });
  return [
    '# Configuration',
    '',
    'Environment variables of every Parley process; a `.env` file in the working folder adds those that are not set.',
    'They are checked at start, all at once, and no message quotes a value. An empty value counts as not set.',
    '',
    '<!-- Written by `npm run docs` from libs/runtime/src/configuration.ts: change it there. -->',
    '',
    '| Variable | Default | Meaning |',
    '| --- | --- | --- |',
    ...rows,
    '',
  ].join('\n');
}

interface Described {
  readonly desc?: string;
  readonly choices?: readonly unknown[];
  readonly default?: unknown;
}

function code(value: unknown): string {
  return `\`${String(value)}\``;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
