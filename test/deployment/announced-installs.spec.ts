/** The notice that `npm test` prints about the programs that it will install, before it installs them (scripts/debian.mjs). */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const script = pathToFileURL(join(__dirname, '..', '..', 'scripts', 'debian.mjs')).href;
const missing = { names: ['no-program-of-this-name'], packages: ['one', 'two'] };
const there = { names: ['sh'], packages: ['dash'] };

async function saidOf(programs: object, isRoot: boolean): Promise<unknown> {
  const code = `import { missingInWords } from '${script}';
    console.log(JSON.stringify(missingInWords(${isRoot}, ${JSON.stringify(programs)})))`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code]);
  return JSON.parse(stdout);
}

it('names the packages that root installs, and asks anybody else to install them', async () => {
  expect(await saidOf([missing, there], true)).toBe(
    'the tests will install what they drive and is missing here, with apt-get: one two',
  );
  expect(await saidOf([missing, there], false)).toBe(
    'the tests drive programs that are missing here, and this process is not root: apt-get install one two',
  );
  expect(await saidOf([there], true)).toBeNull();
});

it('installs nothing else', async () => {
  const debian = join(__dirname, '..', '..', 'scripts', 'debian.mjs');
  await expect(promisify(execFile)(process.execPath, [debian, 'no-program-of-this-name'])).rejects.toThrow(
    'no-program-of-this-name is none of the programs that npm test says it installs',
  );
});
