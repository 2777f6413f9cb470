import type { Contract } from '@app/http';
import { parseUuid } from '@app/kernel';
import { Argument, Command, InvalidArgumentError } from 'commander';
import { ArchiveFile, cutArchive } from './archive-file';
import { openOperatorApi, succeeded } from './operator-api';
import { NoAnswer } from '../terminal/outcome';
import { print } from '../terminal/output';

/** `parley users export`: the one operation whose answer is a file. */
export function exportCommand({ path, scope, summary }: Contract): Command {
  return new Command('export')
    .description(summary)
    .addArgument(new Argument('<userId>').argParser(uuid))
    .requiredOption('--reason <text>', 'Why; it is kept in the log')
    .requiredOption('--to <file>', 'A file to make, which only you can read; it exists once it is complete')
    .action(
      async (userId: string, { reason, to }: { readonly reason: string; readonly to: string }, command: Command) => {
        const api = await openOperatorApi();
        try {
          const bytes = await ArchiveFile.written(to, async (file) => {
            const call = { method: 'POST', path: path.replace(':userId', userId), body: { reason } } as const;
            const answered = await api.call({ ...call, take: (chunk) => file.add(chunk) }).catch((error: unknown) => {
              throw error instanceof NoAnswer && !file.isEmpty ? cutArchive(error) : error;
            });
            succeeded(answered, scope, { whereNamed, optionFor, isChange: false });
            await file.complete();
          });
          print(command, { userId, to, bytes }, [
            `${to} has everything that is kept of ${userId}, in ${bytes} bytes. Begin reading with README.md in it.`,
            'Its words are in clear: keep it no longer than needed.',
          ]);
        } finally {
          await api.close();
        }
      },
    );
}

const whereNamed = 'nothing here has that userId; parley users search --q … shows what there is';
const optionFor = (member: string): string | null => (member === 'reason' ? '--reason' : null);

function uuid(given: string): string {
  const id = parseUuid(given);
  if (id === null) throw new InvalidArgumentError('It is no UUID.');
  return id;
}
