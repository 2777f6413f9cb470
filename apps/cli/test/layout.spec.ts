/** Output at a terminal of 80 columns. */
import type { Command } from 'commander';
import { showAnswer } from '../src/terminal/answers';
import { parleyProgram } from '../src/program';

const every = (command: Command): Command[] => [command, ...command.commands.flatMap(every)];
const pathOf = (command: Command): string =>
  command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;

it.each(every(parleyProgram(() => undefined)).map((command) => [pathOf(command), command] as const))(
  '%s --help has no line of more than 80 columns',
  (_, command) => {
    const long = command
      .helpInformation()
      .split('\n')
      .filter((line) => line.length > 80);
    expect(long).toEqual([]);
  },
);

it.each(['copy-database', 'migrate-events'])('%s --help says that one of two options must be given', (name) => {
  const command = every(parleyProgram(() => undefined)).find((one) => one.name() === name);
  expect(command?.helpInformation()).toContain('this or --to-file is required: the target');
});

it('shows JSON with the indentation that says what belongs to what', () => {
  const name = 'a name of many words, which is longer than a line of a terminal can be, and goes on below itself';
  expect(
    showAnswer({ data: [{ id: 1, payload: { type: 'thing.happened', definition: { name, list: [1] } } }] }),
  ).toEqual([
    'ID',
    '1',
    '    PAYLOAD',
    '      | {',
    '      |   "type": "thing.happened",',
    '      |   "definition": {',
    '      |     "name": "a name of many words, which is longer than a line of a',
    '      |     terminal can be, and goes on below itself",',
    '      |     "list": [',
    '      |       1',
    '      |     ]',
    '      |   }',
    '      | }',
  ]);
});

it('shows the keys of a map as they are', () => {
  expect(showAnswer({ symbols: { 'nep141:wrap.near': 'wNEAR' } }).join('\n')).toContain('nep141:wrap.near');
  expect(showAnswer({ parts: { 'event store': 'ok' } }).join('\n')).toContain('EVENT STORE');
});
