import { exportLog } from '@app/audit';
import type { Configuration } from '@app/settings';
import type { Command } from 'commander';
import { openLogPlace } from './log-places';
import { CommandFailed } from '../terminal/outcome';
import { print } from '../terminal/output';
import { showProgress } from '../terminal/progress';
import { openStoresHere } from '../stores/stores-here';

/** Exports the log to a place. @throws CommandFailed, CannotExport, Unavailable */
export async function exportTo(to: string, command: Command, configuration: Configuration): Promise<void> {
  const stores = await openStoresHere(configuration);
  const files = openLogPlace(configuration, to);
  try {
    const newest = (await stores.checkpoints()).claims.findLast(({ isFormer }) => !isFormer);
    if (newest === undefined)
      throw new CommandFailed('the log has signed nothing yet: its first checkpoint comes within a minute');
    let onDone: ((done: number) => void) | null = null;
    const exported = await exportLog(stores.tables, newest.note, files, (done, total) => {
      onDone ??= showProgress('exporting', total, 'files');
      onDone(done);
    });
    const { size, before, files: written } = exported;
    print(command, { to, ...exported }, [
      `${to} holds the log up to leaf ${size}: ${size - before} of them are new, ${written} files were written.`,
      'Verify it there with parley audit verify --from, and keep it where nobody who can write to the stores can write.',
    ]);
  } finally {
    files.close();
    await stores.close();
  }
}
