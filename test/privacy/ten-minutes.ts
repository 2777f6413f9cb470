import { readFileSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { testSecretKey } from '@app/testing/deployment';
import { debianProgram } from '@app/testing/programs';
import { parleyMain } from '../deployment/cli';
import { runStep, stepsOf } from '../deployment/drill-pages';
import type { WritingPerson } from './person';
import type { WordsStage } from './stage';

const root = join(__dirname, '..', '..');

/** Follows the page of docs/privacy.md about an erased user. Returns what it claims and its blocks do not show, and their number. */
export async function followPage(
  stage: WordsStage,
  person: WritingPerson,
): Promise<{ blocks: number; faults: string[] }> {
  const { deployment, folders } = stage;
  const cwd = join(folders.temporary, 'reader');
  const programs = join(cwd, 'programs');
  await mkdir(programs, { recursive: true });
  await symlink(join(root, 'test'), join(cwd, 'test'));
  await symlink(await debianProgram('python3'), join(programs, 'python3'));
  await writeFile(join(programs, 'parley'), `#!/bin/sh\nexec '${process.execPath}' '${parleyMain}' "$@"\n`, {
    mode: 0o755,
  });
  await writeFile(join(cwd, 'receipt.json'), person.receipts[0] ?? '');
  const { user } = person.writer;
  const variables: Record<string, string> = {
    USER_ID: user.userId,
    USER_TOKEN: user.token,
    PARTNER_KEY: user.partnerKey,
    SERVICE: user.baseUrl,
    DATABASE_URL: deployment.databaseUrl,
    EVENTSTORE_URL: deployment.eventStoreUrl,
    PARLEY_DATA_DIR: folders.data,
    PARLEY_SECRET_KEY: testSecretKey,
    PYTHONDONTWRITEBYTECODE: '1',
  };
  const pages = readFileSync(join(root, 'docs', 'privacy.md'), 'utf8').split(/^## /m);
  const steps = stepsOf(pages.find((one) => one.startsWith("An erased user's ten minutes")) ?? '');
  const faults: string[] = [];
  for (const { commands, shows, endsWith } of steps) {
    const { code, output } = await runStep(commands, { cwd, programs, variables });
    const expected = shows.map((text) => text.replaceAll(/\$([A-Z_]+)/g, (_, name: string) => variables[name] ?? name));
    const packed = output.replaceAll(/\s+/g, '');
    const missing = expected.filter((text) => !packed.includes(text.replaceAll(/\s+/g, '')));
    if (code !== endsWith || missing.length > 0) faults.push(`${commands}${code}: ${missing.join(', ')} in ${output}`);
  }
  return { blocks: steps.length, faults };
}
