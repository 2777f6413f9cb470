import { cpSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A file of the planted tree: its path, its text, and the rule that must fire for it (none in the clean part). */
export interface PlantedFile {
  readonly path: string;
  readonly text: string;
  readonly rule?: string;
}

/** Packages that the planted files import; empty ones do, since only the import counts. */
const packages = ['@eventstore/db-client', 'typeorm', 'ai', '@nestjs/common'];

const libraries = [
  ...['kernel', 'runtime', 'event-store', 'read-store', 'timers', 'http', 'event-store-server', 'embedded-postgres'],
  ...['partners', 'users', 'deployment', 'budget', 'consent', 'conversations', 'wallets', 'artifacts', 'runs'],
  ...['automations', 'approvals', 'engine', 'journal', 'activity', 'sandbox', 'composition'],
  ...['canonical', 'near-intents', 'data-folder', 'event-migration', 'reference', 'testing'],
];

const uses = (...imports: string[]): string => imports.map((path) => `import '${path}';\n`).join('');

/** What the rules allow: each file here is near a border and on the right side of it. */
export const cleanTree: readonly PlantedFile[] = [
  ...libraries.map((name) => ({ path: `libs/${name}/src/index.ts`, text: `export const name = '${name}';\n` })),
  { path: 'libs/kernel/src/money.ts', text: uses('./index') },
  { path: 'libs/consent/src/approval.decider.ts', text: uses('@app/kernel', './approval.events') },
  { path: 'libs/consent/src/approval.events.ts', text: 'export type ApprovalEvent = string;\n' },
  { path: 'libs/conversations/src/conversation.decider.ts', text: uses('@app/kernel', '@app/consent') },
  { path: 'libs/runs/src/start-run.ts', text: uses('@app/conversations', '@app/budget', '@app/http', 'node:crypto') },
  { path: 'libs/runs/src/run.row.ts', text: uses('typeorm') },
  { path: 'libs/engine/src/anthropic.adapter.ts', text: uses('ai') },
  { path: 'libs/event-store/src/connection.ts', text: uses('@eventstore/db-client') },
  { path: 'libs/read-store/src/migrate.ts', text: uses('typeorm', '@app/event-store') },
  {
    path: 'libs/journal/src/known.ts',
    text: "import type { name } from '@app/runs';\nexport type Known = typeof name;\n",
  },
  { path: 'libs/sandbox/src/ledger.ts', text: uses('@app/wallets') },
  {
    path: 'libs/near-intents/src/known.ts',
    text: "import type { name } from '@app/runs';\nexport type Known = typeof name;\n",
  },
  { path: 'apps/api/src/main.ts', text: uses('./api.module') },
  { path: 'apps/api/src/api.module.ts', text: uses('@app/runs', '@app/embedded-postgres') },
  { path: 'libs/testing/src/models/index.ts', text: uses('./loopback-models') },
  { path: 'libs/testing/src/models/loopback-models.ts', text: uses('@app/kernel', 'ai') },
  { path: 'libs/engine/test/provider-models.ts', text: uses('@app/testing/models') },
  { path: 'libs/engine/src/step.spec.ts', text: uses('@app/testing/models') },
  { path: 'test/e2e/journey.ts', text: uses('@app/sandbox', '@app/testing/models', '../../libs/users/src/index') },
];

/** Each library that has a list imports one that stands on nobody's list. */
const pastTheList = libraries
  .filter((name) => !['kernel', 'sandbox', 'near-intents', 'composition'].includes(name))
  .map((name) => ({
    path: `libs/${name}/src/past-the-list.ts`,
    text: uses(name === 'embedded-postgres' ? '@app/event-store-server' : '@app/embedded-postgres'),
    rule: `along-the-list:${name}`,
  }));

/** One violation for each rule, two where a rule has two sides. */
export const violations: readonly PlantedFile[] = [
  { path: 'libs/kernel/src/uses-node.ts', text: uses('node:crypto'), rule: 'kernel-imports-nothing' },
  { path: 'libs/kernel/src/uses-a-library.ts', text: uses('@app/consent'), rule: 'kernel-imports-nothing' },
  { path: 'libs/runs/src/a.decider.ts', text: uses('@app/conversations'), rule: 'pure-files-import-pure-files' },
  { path: 'libs/runs/src/b.decider.ts', text: uses('./b-clock'), rule: 'pure-files-reach-no-platform' },
  { path: 'libs/runs/src/b-clock.ts', text: uses('node:perf_hooks') },
  { path: 'libs/forgotten/src/index.ts', text: uses('@app/kernel'), rule: 'listed-libraries' },
  ...pastTheList,
  { path: 'libs/engine/src/uses-a-double.ts', text: uses('@app/testing/models'), rule: 'doubles-in-tests' },
  { path: 'libs/composition/src/uses-a-double.ts', text: uses('@app/testing/models'), rule: 'doubles-in-tests' },
  { path: 'apps/api/src/uses-a-double.ts', text: uses('@app/testing/models'), rule: 'doubles-in-tests' },
  { path: 'libs/client/src/uses-nest.ts', text: uses('@nestjs/common'), rule: 'client-stands-alone' },
  { path: 'libs/http/src/uses-a-slice.ts', text: uses('@app/users'), rule: 'along-the-list:http' },
  { path: 'libs/conversations/src/uses-a-later.ts', text: uses('@app/runs'), rule: 'along-the-list:conversations' },
  { path: 'libs/journal/src/runs-code.ts', text: uses('@app/runs'), rule: 'event-readers-import-types' },
  { path: 'libs/sandbox/src/calls-a-slice.ts', text: uses('@app/runs'), rule: 'adapters-bind-ports' },
  { path: 'libs/runs/src/deep.ts', text: uses('../../budget/src/reserve'), rule: 'entered-by-index' },
  { path: 'libs/budget/src/reserve.ts', text: uses('./index') },
  { path: 'test/e2e/deep.ts', text: uses('../../libs/budget/src/reserve'), rule: 'entered-by-index' },
  { path: 'test/e2e/deep-double.ts', text: uses('../../libs/testing/src/models/wire'), rule: 'entered-by-index' },
  { path: 'libs/testing/src/models/wire.ts', text: uses('./loopback-models') },
  { path: 'libs/runs/src/relative.ts', text: uses('../../budget/src/index'), rule: 'entered-by-name' },
  { path: 'apps/api/src/relative.ts', text: uses('../../../libs/budget/src/index'), rule: 'entered-by-name' },
  { path: 'libs/runs/src/raw-client.ts', text: uses('@eventstore/db-client'), rule: 'event-store-client' },
  { path: 'libs/runs/src/cancel-run.ts', text: uses('typeorm'), rule: 'typeorm-in-read-models' },
  { path: 'libs/engine/src/step.ts', text: uses('ai'), rule: 'sdks-in-adapters' },
  { path: 'libs/runs/src/uses-app.ts', text: uses('../../../apps/api/src/api.module'), rule: 'nobody-imports-apps' },
  { path: 'apps/worker/src/main.ts', text: uses('../../api/src/api.module'), rule: 'nobody-imports-apps' },
  { path: 'test/e2e/uses-app.ts', text: uses('../../apps/api/src/api.module'), rule: 'nobody-imports-apps' },
  { path: 'libs/users/src/egg.ts', text: uses('./hen'), rule: 'no-cycles' },
  { path: 'libs/users/src/hen.ts', text: uses('./egg') },
  { path: 'libs/users/src/left-over.ts', text: 'export const leftOver = 1;\n', rule: 'no-orphans' },
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
