// The audit of the crash suites for a deployment whose stores are reachable: every stream, run, budget and operation,
// and everything still held.
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..');
const folder = path.join(root, 'libs', 'testing', 'src', 'audits');
/** The audits that do not depend on a test runner. */
const audits = ['journal-audit', 'money-audit', 'opened-events', 'stores-audit'];
const rooms = ['platform', 'product', 'adapters', 'stores'];
const require = createRequire(import.meta.url);

/** @returns {Promise<string[]>} the deviations in words, once nothing is in flight */
export async function auditStores({ DATABASE_URL, EVENTSTORE_URL, PARLEY_SECRET_KEY }, ledger) {
  const { auditJournal, auditOperations, openedEvents, settled, unbalanced } = await loadAudits();
  const { events, left } = await settled(DATABASE_URL, EVENTSTORE_URL);
  const opened = await openedEvents(DATABASE_URL, events, PARLEY_SECRET_KEY);
  const acknowledged = [...ledger.conversations].flatMap(([conversationId, { runs, decisions }]) => [
    { kind: 'created', conversationId },
    ...runs.map((run) => ({ kind: 'started', conversationId, ...run })),
    ...[...decisions].flatMap(([approvalId, status]) =>
      status === 'approved' ? [{ kind: 'approved', conversationId, approvalId }] : [],
    ),
  ]);
  const ofMoney = events.filter(
    ({ stream, type }) => stream.startsWith('operation-') || /^(operation|settlement)\./.test(type),
  );
  return [
    ...left.map((what) => `still held: ${what}`),
    ...Object.entries(auditJournal(opened, acknowledged, [])).flatMap(([kind, found]) =>
      found.map((what) => `${kind}: ${what}`),
    ),
    ...auditOperations(ofMoney, []),
    ...(await unbalanced(DATABASE_URL)),
  ];
}

/** The audits are TypeScript on the product's sources; here they run on its build, as everything else does. */
async function loadAudits() {
  const made = mkdtempSync(path.join(root, 'dist', 'load-audits-'));
  try {
    const outfile = path.join(made, 'audits.cjs');
    const stdin = { contents: audits.map((name) => `export * from './${name}';`).join('\n'), resolveDir: folder };
    const output = { outfile, bundle: true, platform: 'node', packages: 'external', logLevel: 'error' };
    await build({ stdin, ...output, plugins: [onTheBuild] });
    return require(outfile);
  } finally {
    rmSync(made, { recursive: true });
  }
}

const onTheBuild = {
  name: 'on the build',
  setup({ onResolve }) {
    onResolve({ filter: /^@app\/[a-z-]+$/ }, ({ path: name }) => {
      const library = name.slice('@app/'.length);
      const candidates = [library, ...rooms.map((room) => `${room}/${library}`)];
      const found = candidates.map((one) => path.join(root, 'dist', 'libs', one, 'src', 'index.js')).find(exists);
      if (found === undefined) throw new Error(`${name} is not in the build`);
      return { path: found, external: true };
    });
  },
};

function exists(file) {
  try {
    return require.resolve(file) === file;
  } catch {
    return false;
  }
}
