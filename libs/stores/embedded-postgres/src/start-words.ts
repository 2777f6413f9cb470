import { DataFolderUnusable } from './data-folder';

/** How the server reports a refusal of the system, which leaves its files unchanged. */
const refusedBySystem =
  /(?:FATAL|PANIC): +(.*: (No space left on device|Disk quota exceeded|Read-only file system|Permission denied|Too many open files(?: in system)?|Cannot allocate memory|File too large))$/;
const diskIsFull: readonly unknown[] = ['No space left on device', 'Disk quota exceeded'];
/** How the server reports that its own files are missing, truncated or altered; a wrong setting reads differently. */
const damaged =
  /(?:FATAL|PANIC): +(?!.*parameter)(.*(?:could not (?:open|read|locate|access|find)|incorrect checksum|invalid|corrupt|is missing|bogus data|does not exist|not a database cluster).*)/;

/**
 * Explains why the server did not start: one sentence for a refusal of the system and for damaged files; the log lines themselves for
 * anything else.
 * @param lines the last ones of its log @param how it ended, such as `exit code 1`
 */
export function whyNotStarted(folder: string, lines: readonly string[], how: string): Error {
  for (const line of lines) {
    const [, says, reason] = refusedBySystem.exec(line) ?? [];
    if (says === undefined) continue;
    const remedy = diskIsFull.includes(reason) ? 'make room on its disk' : 'repair that';
    return new DataFolderUnusable(`PostgreSQL cannot start in ${folder} (${says}): ${remedy}, and start again`);
  }
  const says = lines.map((line) => damaged.exec(line)?.[1]).find((one) => one !== undefined);
  if (says !== undefined)
    return new DataFolderUnusable(
      `${folder} is damaged (PostgreSQL says ${says}): put the folder back from a backup, or choose another data folder`,
    );
  return new Error(`PostgreSQL did not start (${how}). Its last words:\n${lines.join('\n')}`);
}
