import { readDotEnv } from '@app/composition';
import { readConfiguration, type Configuration } from '@app/settings';
import { parseVerifierKey, type SignatureKind, type VerifierKey } from '@app/transparency';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { exportLog } from '@app/audit';
import { verify, type VerifyOptions } from './audit-verify';
import { httpUrl } from '../service/service-fetch';
import { openLogPlace } from './log-places';
import { CommandFailed } from '../terminal/outcome';
import { print } from '../terminal/output';
import { showProgress } from '../terminal/progress';
import { openStoresHere } from '../stores/stores-here';

/** `parley audit verify` and `parley audit export` (docs/production.md, "Whether anything was altered"). */
export function auditCommands(program: Command): void {
  const noun = program.commands.find((command) => command.name() === 'audit') ?? program.command('audit');
  if (noun.description() === '')
    noun.description('the log of all events: prove what is stored, and take the log elsewhere');
  verifyCommand(noun.command('verify'));
  noun
    .command('export')
    .description('write the log and its entries to a folder or a bucket: what is new there, the checkpoint last')
    .requiredOption('--to <place>', 'a folder, or s3://bucket/prefix')
    .action(async ({ to }: { to: string }, command: Command) => {
      readDotEnv();
      await exportTo(to, command, readConfiguration(process.env));
    });
}

function verifyCommand(command: Command): void {
  command
    .description('hash every stored event again, check it against the log and all it signed, and name what was altered')
    .addOption(new Option('--from <place>', 'the log in an export: a folder, or s3://bucket/prefix').conflicts('url'))
    .addOption(
      new Option('--url <url>', 'the log of a service; PARLEY_OPERATOR_TOKEN lets it read the entries').argParser(
        httpUrl,
      ),
    )
    .option('--stores', 'with --from or --url, compare it with the events of the stores here, too')
    .addOption(several('--key <key>', 'public key of the log; again for each', keyOf('log')))
    .addOption(several('--witness <key>', 'public key of a witness; those of WITNESSES unless given', keyOf('witness')))
    .addOption(
      new Option(
        '--needed <number>',
        'so many witnesses must have signed; all of --witness, or WITNESSES_NEEDED',
      ).argParser(count),
    )
    .addOption(several('--known <file>', 'a checkpoint that you kept, which the log must contain', (text) => text))
    .addOption(
      several('--ask [url]', 'ask a witness what it signed last; those of WITNESSES unless given', witnessUrl).preset(
        '',
      ),
    )
    .action(async (options: VerifyOptions, own: Command) => {
      readDotEnv();
      await verify(options, own, readConfiguration(process.env));
    });
}

function several<Value>(flags: string, description: string, parse: (text: string) => Value): Option {
  const add = (text: string, before: readonly Value[]): readonly Value[] => [...before, parse(text)];
  return new Option(flags, description).default([], 'none').argParser(add);
}

function keyOf(kind: SignatureKind): (text: string) => VerifierKey {
  return (text) => {
    const key = parseVerifierKey(text);
    if (key?.kind !== kind) throw new InvalidArgumentError(`It is no public key of a ${kind}: <name>+<id>+<key>.`);
    return key;
  };
}

function count(text: string): number {
  if (!/^\d{1,3}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}

/** Empty for the witnesses of this deployment. */
function witnessUrl(text: string): string {
  return text === '' ? '' : httpUrl(text);
}

/** Exports the log to a place. @throws CommandFailed, CannotExport, Unavailable */
async function exportTo(to: string, command: Command, configuration: Configuration): Promise<void> {
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
