import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { variables } from './configuration';
import { configurationPage } from './configuration-table';

const page = join(__dirname, '../../../../docs/configuration.md');

describe('docs/configuration.md', () => {
  it('is what `npm run docs` writes', () => expect(readFileSync(page, 'utf8')).toBe(configurationPage()));

  it('has a row for every variable, each with its meaning', () => {
    const rows = configurationPage()
      .split('\n')
      .filter((line) => line.startsWith('| `'))
      .map((line) => /^\| `(\w+)` \| (?:`[^`]+`)? \| .+ \|$/.exec(line)?.[1]);
    expect(rows).toEqual(Object.keys(variables));
    expect(configurationPage()).not.toContain('[object');
  });
});
