/** The runbook uses only existing commands and options of this command line, and no table that a switch leaves behind. */
import { readStore } from '@app/composition';
import type { Command } from 'commander';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parleyProgram } from '../src/program';

const runbook = readFileSync(join(__dirname, '..', '..', '..', 'docs', 'runbook.md'), 'utf8');
const fences = [...runbook.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language = '', text = '']) => ({
  language,
  text,
}));
const inline = [...runbook.replaceAll(/^```.*?^```$/gms, '').matchAll(/`([^`\n]+)`/g)].map(([, text = '']) => text);
const program = parleyProgram(() => undefined);

/** A word of a shell, without its quotes. */
const wordsOf = (line: string): string[] =>
  (line.match(/'[^']*'|"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll(/^['"]|['"]$/g, ''));
/** A placeholder of a page is any value. */
const isPlaceholder = (word: string): boolean => /[…<$]/.test(word);

/** Returns the mistakes in a command. @param isWhole whether it can be pasted as it is, so that nothing may be missing */
function mistakesIn(line: string, isWhole: boolean): string[] {
  const [ran = ''] = line.split(/ [<>|] /);
  const words = wordsOf(ran).slice(1);
  let command: Command = program;
  for (
    let found = program.commands.find(by(words[0]));
    found !== undefined;
    found = command.commands.find(by(words[0]))
  ) {
    command = found;
    words.shift();
  }
  const mistakes = command.commands.length > 0 ? ['names no command'] : [];
  const named = new Set<string>();
  let count = 0;
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    if (!word.startsWith('--')) count += 1;
    else mistakes.push(...optionMistakes(command, word, words, named));
  }
  const { registeredArguments } = command;
  if (count > registeredArguments.length && registeredArguments.at(-1)?.variadic !== true)
    mistakes.push('has too many arguments');
  if (!isWhole) return mistakes;
  if (count < registeredArguments.filter(({ required }) => required).length) mistakes.push('has too few arguments');
  const missing = command.options.filter(({ mandatory, long }) => mandatory && !named.has(long ?? ''));
  return [...mistakes, ...missing.map(({ long }) => `lacks ${long ?? ''}`)];
}

const by = (name: string | undefined) => (command: Command) => command.name() === name;

/** Removes the value of the option from the words that follow it. */
function optionMistakes(command: Command, name: string, following: string[], named: Set<string>): string[] {
  const option = [...command.options, ...program.options].find(({ long }) => long === name);
  if (option === undefined) return [`${name} is no option`];
  named.add(name);
  if (!option.required) return [];
  const value = following.shift();
  if (value === undefined) return [`${name} lacks its value`];
  const { argChoices } = option;
  return argChoices === undefined || argChoices.includes(value) || isPlaceholder(value)
    ? []
    : [`${name} is no ${value}`];
}

it('names commands, options and values that there are', () => {
  const pasted = fences.flatMap(({ language, text }) =>
    language === 'sh' ? text.split('\n').filter((line) => line.startsWith('parley ')) : [],
  );
  const mentioned = inline.filter((text) => /^parley [a-z]/.test(text) && !text.endsWith(' …'));
  expect(pasted.length).toBeGreaterThan(20);
  expect(mentioned.length).toBeGreaterThan(15);
  const found = [
    ...pasted.map((line) => [line, mistakesIn(line, true)]),
    // A command in running text has all its arguments, so that it can be typed as it is.
    ...mentioned.map((line) => [line, mistakesIn(line, true)]),
  ];
  expect(found.filter(([, mistakes]) => (mistakes ?? []).length > 0)).toEqual([]);
});

it.each([
  ['parley streams show x', 'names no command'],
  ['parley runs list --status stuck', '--status is no option'],
  ['parley runs list --state odd', '--state is no odd'],
  ['parley runs show', 'has too few arguments'],
  ['parley runs show a b', 'has too many arguments'],
  ['parley keys mint --label x --yes', 'lacks --reason'],
])('would find what is wrong with %j', (line, mistake) => {
  expect(mistakesIn(line, true)).toContain(mistake);
});

/** Returns the read models that a statement names, by any table that they ever had. */
function readModelsIn(sql: string): string[] {
  const names = new Set(readStore.projections.map(({ name }) => name));
  return (sql.match(/\b[a-z_]\w*/gi) ?? []).map((word) => word.replace(/_\d+$/, '')).filter((word) => names.has(word));
}

it('has no statement on the table of a read model', () => {
  const isSql = (text: string) => /\b(SELECT|INSERT|UPDATE|DELETE|LOCK|TRUNCATE)\b/.test(text);
  const statements = [...inline, ...fences.map(({ text }) => text)].filter(isSql);
  expect(statements.length).toBeGreaterThan(2);
  expect(statements.flatMap(readModelsIn)).toEqual([]);
  expect(readModelsIn("SELECT id FROM financial_operations WHERE status = 'unresolved'")).toEqual([
    'financial_operations',
  ]);
  expect(readModelsIn('SELECT count(*) FROM runs_6')).toEqual(['runs']);
});
