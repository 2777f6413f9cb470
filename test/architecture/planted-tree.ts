import { cpSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

/** A file of the planted tree: its path, its text, and the rule that must fire for it (none in the clean part). */
export interface PlantedFile {
  readonly path: string;
  readonly text: string;
  readonly rule?: string;
}

/** Packages that the planted files import. They are empty, because only the import counts. */
const packages = ['@eventstore/db-client', 'typeorm', 'ai', '@nestjs/common'];

const libraries = [
  ...[
    'kernel',
    'canonical',
    'transparency',
    'runtime',
    'sealing',
    'event-store-wire',
    'event-store',
    'read-store',
    'timers',
    'schema',
    'http',
    'reference',
  ].map(inRoom('platform')),
  ...['event-store-server', 'embedded-postgres', 'data-folder', 'database-copies', 'event-migration'].map(
    inRoom('stores'),
  ),
  'others/witness',
  ...['partners', 'users', 'deployment', 'audit', 'budget', 'consent', 'quotas', 'conversations', 'wallets'].map(
    inRoom('product'),
  ),
  ...[
    'artifacts',
    'runs',
    'automations',
    'approvals',
    'receipts',
    'notices',
    'webhooks',
    'privacy',
    'feed',
    'engine',
    'journal',
  ].map(inRoom('product')),
  ...['settings', 'activity', 'operators'].map(inRoom('product')),
  ...['sandbox', 'near-intents', 'rules-model'].map(inRoom('adapters')),
  'clients/verify',
  'composition',
  'testing',
];

function inRoom(room: string) {
  return (name: string) => `${room}/${name}`;
}

const uses = (...imports: string[]): string => imports.map((path) => `import '${path}';\n`).join('');

/** Files that the rules allow, each just inside a border. */
export const cleanTree: readonly PlantedFile[] = [
  ...libraries.map((name) => ({
    path: `libs/${name}/src/index.ts`,
    text: `export const name = '${basename(name)}';\n`,
  })),
  { path: 'libs/platform/kernel/src/money.ts', text: uses('./index') },
  { path: 'libs/product/consent/src/approval.decider.ts', text: uses('@app/kernel', './approval.events') },
  { path: 'libs/product/consent/src/approval.events.ts', text: 'export type ApprovalEvent = string;\n' },
  { path: 'libs/product/conversations/src/conversation.decider.ts', text: uses('@app/kernel', '@app/consent') },
  {
    path: 'libs/product/runs/src/start-run.ts',
    text: uses('@app/conversations', '@app/budget', '@app/http', 'node:crypto'),
  },
  { path: 'libs/product/runs/src/run.row.ts', text: uses('typeorm') },
  { path: 'libs/product/engine/src/anthropic.adapter.ts', text: uses('ai') },
  { path: 'libs/platform/event-store/src/connection.ts', text: uses('@eventstore/db-client') },
  { path: 'libs/platform/read-store/src/migrate.ts', text: uses('typeorm', '@app/event-store') },
  {
    path: 'libs/product/journal/src/known.ts',
    text: "import type { name } from '@app/runs';\nexport type Known = typeof name;\n",
  },
  { path: 'libs/adapters/sandbox/src/ledger/ledger.ts', text: uses('@app/wallets') },
  {
    path: 'libs/adapters/near-intents/src/known.ts',
    text: "import type { name } from '@app/runs';\nexport type Known = typeof name;\n",
  },
  { path: 'apps/api/src/main.ts', text: uses('./api.module') },
  { path: 'apps/api/src/api.module.ts', text: uses('@app/runs', '@app/embedded-postgres') },
  { path: 'libs/testing/src/models/index.ts', text: uses('./loopback-models') },
  { path: 'libs/testing/src/models/loopback-models.ts', text: uses('@app/kernel', 'ai') },
  { path: 'libs/testing/src/deployment/index.ts', text: uses('@app/composition', '@app/event-store-server') },
  { path: 'libs/product/engine/test/models/provider-models.ts', text: uses('@app/testing/models') },
  { path: 'libs/product/engine/src/step.spec.ts', text: uses('@app/testing/models') },
  {
    path: 'test/e2e/journey.ts',
    text: uses('@app/sandbox', '@app/testing/models', '../../libs/product/users/src/index'),
  },
];

const startsPostgres = new Set(['embedded-postgres', 'database-copies', 'witness']);

/** Each library with a list imports a library that is not on it. */
const pastTheList = libraries
  .map((folder) => ({ folder, name: basename(folder) }))
  .filter(({ name }) => !['kernel', 'sandbox', 'near-intents', 'rules-model', 'composition', 'testing'].includes(name))
  .map(({ folder, name }) => ({
    path: `libs/${folder}/src/past-the-list.ts`,
    text: uses(startsPostgres.has(name) ? '@app/event-store-server' : '@app/embedded-postgres'),
    rule: `along-the-list:${name}`,
  }));

/** One violation of each rule, or two if a rule has two sides. */
export const violations: readonly PlantedFile[] = [
  { path: 'libs/platform/kernel/src/uses-node.ts', text: uses('node:crypto'), rule: 'kernel-imports-nothing' },
  { path: 'libs/platform/kernel/src/uses-a-library.ts', text: uses('@app/consent'), rule: 'kernel-imports-nothing' },
  {
    path: 'libs/product/runs/src/a.decider.ts',
    text: uses('@app/conversations'),
    rule: 'pure-files-import-pure-files',
  },
  { path: 'libs/product/runs/src/b.decider.ts', text: uses('./b-clock'), rule: 'pure-files-reach-no-platform' },
  { path: 'libs/product/runs/src/b-clock.ts', text: uses('node:perf_hooks') },
  { path: 'libs/forgotten/src/index.ts', text: uses('@app/kernel'), rule: 'listed-libraries' },
  ...pastTheList,
  { path: 'libs/product/engine/src/uses-a-double.ts', text: uses('@app/testing/models'), rule: 'testing-in-tests' },
  { path: 'libs/composition/src/uses-a-double.ts', text: uses('@app/testing/models'), rule: 'testing-in-tests' },
  { path: 'apps/api/src/uses-a-double.ts', text: uses('@app/testing/models'), rule: 'testing-in-tests' },
  { path: 'libs/clients/client/src/uses-nest.ts', text: uses('@nestjs/common'), rule: 'client-stands-alone' },
  { path: 'libs/clients/client/src/runs-front-end.ts', text: uses('ai'), rule: 'front-ends-by-type' },
  { path: 'libs/platform/schema/src/uses-http.ts', text: uses('@app/http'), rule: 'along-the-list:schema' },
  { path: 'libs/platform/http/src/uses-a-slice.ts', text: uses('@app/users'), rule: 'along-the-list:http' },
  {
    path: 'libs/product/conversations/src/uses-a-later.ts',
    text: uses('@app/runs'),
    rule: 'along-the-list:conversations',
  },
  { path: 'libs/product/journal/src/runs-code.ts', text: uses('@app/runs'), rule: 'event-readers-import-types' },
  { path: 'libs/adapters/sandbox/src/calls-a-slice.ts', text: uses('@app/budget'), rule: 'adapters-bind-ports' },
  { path: 'libs/product/runs/src/deep.ts', text: uses('../../budget/src/reserve'), rule: 'entered-by-index' },
  { path: 'libs/product/budget/src/reserve.ts', text: uses('./index') },
  { path: 'test/e2e/deep.ts', text: uses('../../libs/product/budget/src/reserve'), rule: 'entered-by-index' },
  { path: 'test/e2e/deep-double.ts', text: uses('../../libs/testing/src/models/wire'), rule: 'entered-by-index' },
  { path: 'libs/testing/src/models/wire.ts', text: uses('./loopback-models') },
  { path: 'libs/product/runs/src/relative.ts', text: uses('../../budget/src/index'), rule: 'entered-by-name' },
  { path: 'apps/api/src/relative.ts', text: uses('../../../libs/product/budget/src/index'), rule: 'entered-by-name' },
  { path: 'libs/product/runs/src/raw-client.ts', text: uses('@eventstore/db-client'), rule: 'event-store-client' },
  { path: 'libs/product/runs/src/cancel-run.ts', text: uses('typeorm'), rule: 'typeorm-in-read-models' },
  { path: 'libs/product/engine/src/step.ts', text: uses('ai'), rule: 'sdks-in-adapters' },
  {
    path: 'libs/product/runs/src/uses-app.ts',
    text: uses('../../../../apps/api/src/api.module'),
    rule: 'nobody-imports-apps',
  },
  { path: 'apps/worker/src/main.ts', text: uses('../../api/src/api.module'), rule: 'nobody-imports-apps' },
  { path: 'test/e2e/uses-app.ts', text: uses('../../apps/api/src/api.module'), rule: 'nobody-imports-apps' },
  { path: 'libs/product/users/src/egg.ts', text: uses('./hen'), rule: 'no-cycles' },
  { path: 'libs/product/users/src/hen.ts', text: uses('./egg') },
  { path: 'libs/product/users/src/left-over.ts', text: 'export const leftOver = 1;\n', rule: 'no-orphans' },
];

/** Writes files into a new temporary folder, with the compiler's configuration and the packages they import. */
export function plant(files: readonly PlantedFile[], repository: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'parley-planted-'));
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  cpSync(join(repository, 'tsconfig.json'), join(folder, 'tsconfig.json'));
  for (const name of packages) {
    write(`node_modules/${name}/package.json`, JSON.stringify({ name, main: 'index.js' }));
    write(`node_modules/${name}/index.js`, '');
  }
  for (const { path, text } of files) write(path, text);
  return folder;
}
