import { witnessCommand } from './options';

class Ended extends Error {
  constructor(readonly code: unknown) {
    super(`ended with ${String(code)}`);
  }
}

/** The exit code of a witness with these arguments. */
function endOf(...given: string[]): unknown {
  const exit = jest.spyOn(process, 'exit').mockImplementation((code) => {
    throw new Ended(code);
  });
  const command = witnessCommand().configureOutput({ writeOut: () => undefined, writeErr: () => undefined });
  try {
    command.parse(given, { from: 'user' });
    return 'none';
  } catch (error) {
    return error instanceof Ended ? error.code : error;
  } finally {
    exit.mockRestore();
  }
}

it.each([[['--bad']], [['extra']], [['--port', '70000']], [['--port']], [['--log', 'no-key']]])(
  '%j ends with 2, as parley does',
  (given) => expect(endOf(...given)).toBe(2),
);

it('help ends with 0, and right arguments do not end', () => {
  expect(endOf('--help')).toBe(0);
  expect(endOf('--port', '8090', '--dir', 'x')).toBe('none');
});
