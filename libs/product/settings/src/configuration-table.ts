import { variables } from './configuration';

/** Returns the reference of all environment variables as a Markdown page: the text of docs/configuration.md. */
export function configurationPage(): string {
  const rows = Object.entries(variables).map(([name, variable]) => {
    const { desc, choices, default: fallback }: Described = variable;
    const meaning = choices === undefined ? desc : `${desc} (${choices.map(code).join(' or ')})`;
    const none = fallback === undefined || isEmpty(fallback);
    return `| ${code(name)} | ${none ? '' : code(fallback)} | ${cell(meaning ?? '')} |`;
  });
  return [
    '# Configuration',
    '',
    'Environment variables of every Parley process; a `.env` file in the working folder adds those that are not set.',
    'They are checked at start, all at once, and no message quotes a value. An empty value counts as not set.',
    '',
    '<!-- Written by `npm run docs` from libs/product/settings and libs/platform/runtime/src/configuration: change it there. -->',
    '',
    '| Variable | Default | Meaning |',
    '| --- | --- | --- |',
    ...rows,
    '',
    '## What models cost',
    '',
    'A step costs what its provider counted, at `MODEL_PRICES`. Where the sums of a gateway disagree (`total` less `completion` is more than `prompt`), the larger input counts.',
    'Providers keep the beginnings of prompts: a step begins with what the step before began with, byte for byte, and Anthropic is sent marks up to which it keeps a prompt for five minutes. Input that such a cache held costs `cachedInputUsdPerMillion`, input that was put there `cacheWriteUsdPerMillion` (only Anthropic counts that; for five minutes it takes a quarter more than for any input, which is the default of that price). Give the first, or cached input is booked at the price of any input.',
    'A provider that reports no usage is a warning in the log, `the provider reported no usage`, at each step: the step then costs an estimate, a token for three bytes of what was sent and of what came, and its usage says `estimated`. So does a step that was aborted or broke off, because its provider bills what it began. Ask the server for usage in its streams (`stream_options.include_usage`) before you rely on budgets.',
    '',
  ].join('\n');
}

interface Described {
  readonly desc?: string;
  readonly choices?: readonly unknown[];
  readonly default?: unknown;
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

function code(value: unknown): string {
  return `\`${String(value)}\``;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
