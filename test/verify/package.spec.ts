/** @parley/verify as its users get it: from its tarball, in Node, with a receipt and the log of a running deployment. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { operatorOf } from '@app/testing/client';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import { erase, untilErasure } from '@app/testing/erasures';
import { PackedProject } from '../client/packed';
import { provenWithdrawal, type Proven } from './receipts';

const withinMs = 180_000;

let deployment: Deployment;
let project: PackedProject;
let proven: Proven;
beforeAll(async () => {
  deployment = await startDeployment({ mode: 'in-process', env: { LOG_LEVEL: 'silent' } });
  project = await PackedProject.create('verify');
  proven = await provenWithdrawal(deployment);
  await project.write('proven.json', JSON.stringify({ ...proven, certificate: await certificateOfErasure() }));
}, withinMs);
afterAll(async () => {
  await project.remove();
  await deployment.stop();
});

async function certificateOfErasure(): Promise<unknown> {
  const [operator, user] = [await operatorOf(deployment, ['users']), await deployment.newUser()];
  await erase(operator, user);
  await untilErasure(operator, user, 'completed');
  return (await operator.get(`/users/${user.userId}/erase/certificate`)).body;
}

/** The test program for both builds, which are imported as `verify`. */
const asks = `
const { receipt, logKey, witnessKey } = JSON.parse(require('node:fs').readFileSync('proven.json', 'utf8'));
const trust = verify.trustPolicy({ log: [logKey], witnesses: [witnessKey] });
const report = verify.verifyReceipt(receipt, trust);
const altered = JSON.parse(JSON.stringify(receipt).replace('"approved"', '"approvee"'));
const proof = verify.parseProof(verify.eventProof(receipt, 0));
const { stream, revision, id, type, dataSha256, metadataSha256 } = receipt.events[0];
const leaf = verify.leafHash(verify.entryBytes({ stream, revision, id, type, dataSha256, metadataSha256 }));
const { size, root } = verify.openCheckpoint(proof.checkpoint, trust);
console.log(JSON.stringify([
  report.holds,
  report.proven.map(({ aspect }) => aspect),
  report.checkpoint.witnesses.length,
  verify.verifyReceipt(altered, trust).holds,
  verify.isIncluded(leaf, proof.index, size, proof.path, root),
  verify.isIncluded(leaf, proof.index + 1, size, proof.path, root),
  verify.eventProof(receipt, receipt.events.length),
]));`;
const aspects = ['bytes', 'conclusions', 'history', 'inclusion', 'signature', 'witnesses'];
const answers = [true, aspects, 1, false, true, false, null];

describe('the package, from its tarball', () => {
  it('holds the two builds with their types, the page, a README and licenses, and nothing else', () => {
    const stray = project.files.filter(
      (path) =>
        !/^(dist\/(esm|cjs)\/[\w./-]+|dist\/LICENSES\.txt|dist\/verify\.html|package\.json|README\.md)$/.test(path),
    );
    expect(stray).toEqual([]);
    expect(project.files).toEqual(
      expect.arrayContaining(['README.md', 'dist/esm/index.d.ts', 'dist/cjs/index.d.ts', 'dist/verify.html']),
    );
  });

  it('depends on nothing, and has nothing of Node, of Nest or of the stores in it', async () => {
    expect(project.manifest).toMatchObject({ name: '@parley/verify', license: 'Apache-2.0', sideEffects: false });
    expect('dependencies' in project.manifest).toBe(false);
    for (const kind of ['esm', 'cjs']) {
      const code = await readFile(
        join(project.folder, 'node_modules', '@parley', 'verify', 'dist', kind, 'index.js'),
        'utf8',
      );
      expect(code).not.toMatch(/^import\b|\bimport\(|\brequire\(['"]|\bnode:|nestjs|typeorm|db-client/m);
    }
  });

  it('is imported by an ES module', async () => {
    const require = "import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);\n";
    await project.write('main.mjs', `import * as verify from '@parley/verify';\n${require}${asks}`);
    expect(JSON.parse(await project.node('main.mjs'))).toEqual(answers);
  });

  it('is required by a CommonJS module', async () => {
    await project.write('main.cjs', `const verify = require('@parley/verify');\n${asks}`);
    expect(JSON.parse(await project.node('main.cjs'))).toEqual(answers);
  });

  it(
    'has a README whose snippets compile strictly, and do what it says',
    async () => {
      const text = await readFile(join(__dirname, '..', '..', 'libs', 'clients', 'verify', 'README.md'), 'utf8');
      const snippets = [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = '']) => code);
      const given = `
        import { readFileSync } from 'node:fs';
        interface Receipt { proof: { checkpoint: string } }
        interface Proven { receipt: Receipt; certificate: { note: string }; logKey: string; witnessKey: string }
        const proven = JSON.parse(readFileSync('proven.json', 'utf8')) as Proven;
        const { receipt, certificate, logKey, witnessKey } = proven;
        const text = JSON.stringify(receipt);
        const baseUrl = process.env['BASE_URL'] ?? '';`;
      await project.write('tour.mts', [given, ...snippets].join('\n'));
      await project.compile(['tour.mts'], 'node16', 'package');
      const said = await project.node('tour.mjs', { BASE_URL: deployment.baseUrls[0] ?? '' });
      expect(said.split('\n').filter((line) => line.startsWith('proven'))).toHaveLength(aspects.length);
      expect(said.split('\n').filter((line) => line.startsWith('true '))).toHaveLength(1);
      expect(said.trim().split('\n').at(-1)).toBe('true');
    },
    withinMs,
  );

  it(
    'has types that hold in a CommonJS module, and where a bundler resolves them',
    async () => {
      const typed = `
        import { trustPolicy, verifyReceipt, type ReceiptReport } from '@parley/verify';
        export const report: ReceiptReport = verifyReceipt({}, trustPolicy({ log: [] }));
        // @ts-expect-error no such member
        export const nothing = report.valid;`;
      await project.write('use.cts', typed);
      await project.compile(['use.cts'], 'node16', 'package');
      await project.write('use-bundled.ts', typed);
      await project.compile(['use-bundled.ts'], 'bundler');
    },
    withinMs,
  );
});
