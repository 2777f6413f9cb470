// The options of npm run bench: read before anything is installed, and by the run itself.
import { parseArgs } from 'node:util';

export const usage = `npm run bench -- [options]: every benchmark next to its baseline, in one run

  --quick              a smoke run that writes no results
  --only 1,4           benchmarks of these numbers
  --rounds 7           how often each is measured
  --profile <folder>   CPU profiles of all processes and, at the end, where each spent its time`;

/** @throws when there is another option, or a number that is none */
export function readOptions(args) {
  const { values } = parseArgs({
    args,
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string' },
      rounds: { type: 'string' },
      profile: { type: 'string' },
    },
  });
  if (!/^[0-9]+(,[0-9]+)*$/.test(values.only ?? '1')) throw new Error('--only takes numbers with commas between');
  if (!/^[1-9][0-9]*$/.test(values.rounds ?? '1')) throw new Error('--rounds takes a whole number from 1');
  return values;
}
