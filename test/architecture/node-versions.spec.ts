import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from './sources';

interface Locked {
  readonly version?: string;
  readonly dev?: boolean;
  readonly engines?: { readonly node?: string };
}

// Reason for the assertions: npm writes both files in this shape.
const lock = JSON.parse(readFileSync(join(repository, 'package-lock.json'), 'utf8')) as {
  readonly packages: Readonly<Record<string, Locked>>;
};
const promised = lock.packages['']?.engines?.node ?? '';

/** The oldest major version of Node that a package accepts; 0 if it does not say. */
function oldestOf({ engines }: Locked): number {
  const majors = (engines?.node ?? '').split('||').map((part) => Number(/(\d+)/.exec(part)?.[1] ?? 0));
  return Math.min(...majors);
}

/** The SDK drops old versions of Node in minor versions (aws-sdk-js-v3, issues 7558 and 7983), and so within the range of a caret. */
it('the locked AWS SDK runs on the oldest Node that package.json promises', () => {
  const [, oldest = ''] = /^>=(\d+)\./.exec(promised) ?? [];
  expect(Number(oldest)).toBeGreaterThan(0);
  const ours = Object.entries(lock.packages).filter(
    ([path, { dev }]) => dev !== true && /node_modules\/@(aws-sdk|aws-crypto|smithy|aws)\//.test(path),
  );
  expect(ours.length).toBeGreaterThan(10);
  const tooNew = ours.filter(([, locked]) => oldestOf(locked) > Number(oldest));
  expect(tooNew.map(([path, { version, engines }]) => `${path}@${version} wants Node ${engines?.node}`)).toEqual([]);
});
