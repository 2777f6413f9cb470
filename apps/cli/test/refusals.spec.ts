/** A refusal quotes nothing that was given, because it may be a secret in a wrong place, and a terminal keeps what it shows. */
import { CommanderError, InvalidArgumentError, type Argument, type Command, type Option } from 'commander';
import { describe as inWords } from '../src/terminal/outcome';
import { note } from '../src/terminal/output';
import { parleyProgram } from '../src/program';

const secret = 'pk_Sw0rdfish';
/** One of them always contains the secret's own text, whatever is cut from it. */
const values = [
  secret,
  `a' is invalid. ${secret}`,
  `${secret}\n(Did you mean ${secret}?)`,
  `postgres://u:${secret}@h/d`,
];

let written: string;
beforeEach(() => {
  written = '';
  for (const name of ['stdout', 'stderr'] as const)
    jest.spyOn(process[name], 'write').mockImplementation((chunk) => {
      written += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
      return true;
    });
});
afterEach(() => jest.restoreAllMocks());

/** Returns the error text of a wrong usage; fails the test when the command was not refused for that. */
async function refusal(args: readonly string[]): Promise<string> {
  written = '';
  await expect(parleyProgram(() => undefined).parseAsync(['node', 'parley', ...args])).rejects.toThrow(CommanderError);
  expect(written).toContain('error: ');
  return written;
}

const every = (command: Command, path: readonly string[] = []): { command: Command; path: readonly string[] }[] => [
  { command, path },
  ...command.commands.flatMap((one) => every(one, [...path, one.name()])),
];
const commands = every(parleyProgram(() => undefined));
const leaves = commands.filter(({ command }) => command.commands.length === 0);

/** Whether values are validated before anything is done with them. */
function isJudged({ parseArg, defaultValue }: Option | Argument): boolean {
  return values.every((value) => {
    try {
      // Reason for the assertion: Commander's types leave `Argument` without it.
      (parseArg as ((value: string, before: unknown) => unknown) | undefined)?.(value, defaultValue);
      return false;
    } catch (error) {
      return error instanceof InvalidArgumentError;
    }
  });
}

const calls = [
  ...commands.flatMap(({ path, command }) => (command.commands.length > 0 ? [[...path, '?']] : [])),
  ...leaves.map(({ path }) => [...path, '--no-such-option=?']),
  ...leaves.map(({ path }) => [...path, '--?']),
  ...leaves.flatMap(({ command, path }) =>
    command.options.filter(isJudged).map(({ long }) => [...path, long ?? '', '?']),
  ),
  ...leaves.flatMap(({ command, path }) =>
    command.registeredArguments
      .filter(isJudged)
      .slice(0, 1)
      .map(() => [...path, '?']),
  ),
];

it('has a call for each way in which usage can be wrong', () => {
  expect(calls.length).toBeGreaterThan(100);
});

it.each(calls.map((call) => [call.join(' '), call] as const))('parley %s', async (_, call) => {
  for (const value of values) {
    const given = call.map((word) => word.replace('?', value));
    // A value given in one place is not shown in another.
    expect(await refusal(given)).not.toContain(secret);
  }
});

it.each([
  ['controls paus runs', 'There are: help, pause, resume.'],
  ['controls pause run --reason x', 'Allowed choices are runs, automations, withdrawals.'],
  ['keys list --jso', 'there is no option --jso'],
  ['contro', '(Did you mean controls?)'],
])('still says what there is: %s', async (line, says) => {
  expect(await refusal(line.split(' '))).toContain(says);
});

it.each([
  ['tail --url', ['tail', '--url', `http://user:${secret}@parley.example`, '--key-file', __filename]],
  ['tail --url without a key', ['tail', '--url', `https://user:${secret}@parley.example?token=${secret}`]],
  ['audit verify --ask', ['audit', 'verify', '--ask', `ftp://user:${secret}@parley.example`]],
])('an address with a password: %s', async (_, args) => {
  try {
    await parleyProgram(() => undefined).parseAsync(['node', 'parley', ...args]);
  } catch (error) {
    if (!(error instanceof CommanderError)) note(String(inWords(error)));
  }
  expect(written).not.toBe('');
  expect(written).not.toContain(secret);
});
