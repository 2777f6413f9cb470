/** Only a yes continues after the question before a change, and every other end of it is reported in one line. */
import { PassThrough } from 'node:stream';
import { confirmed, type Terminal } from '../src/terminal/confirm';
import { CommandFailed } from '../src/terminal/outcome';

class TtyStream extends PassThrough {
  readonly isTTY = true;
}

/** Answers once the question is shown. */
async function answering(answer: (input: TtyStream) => void): Promise<void> {
  const [input, output] = [new TtyStream(), new TtyStream()];
  const terminal: Terminal = { input, output };
  output.once('data', () => answer(input));
  output.resume();
  await confirmed('Pause withdrawals', terminal);
}

it.each(['y\n', 'Y\r', ' yes \n'])('goes on with %j', async (said) => {
  await expect(answering((input) => void input.write(said))).resolves.toBeUndefined();
});

it.each<[string, (input: TtyStream) => void]>([
  ['an empty line', (input) => input.write('\n')],
  ['another word', (input) => input.write('yep\n')],
  ['Ctrl-C', (input) => input.write('\u0003')],
  ['Ctrl-D', (input) => input.write('\u0004')],
  ['a terminal that is gone', (input) => input.end()],
  ['a terminal that is gone in the middle of an answer', (input) => input.end('y')],
])('changes nothing with %s', async (_, answer) => {
  await expect(answering(answer)).rejects.toEqual(new CommandFailed('nothing was changed'));
});
