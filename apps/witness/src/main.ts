import { systemWords } from '@app/data-folder';
import { FolderInUse, KeyRefused, openWitness, witnessCommand, witnessServer, type ProgramOptions } from '@app/witness';
import { once } from 'node:events';

const failed = 1;

/** A witness of transparency logs, for others to run (docs/witness.md); reports for its operator are JSON lines on stderr. */
async function run({ name, log, dir, host, port }: ProgramOptions): Promise<void> {
  const onNews = (level: string, message: string, fields: object): void =>
    console.error(JSON.stringify({ time: new Date().toISOString(), level, message, ...fields }));
  const witness = await openWitness({ folder: dir, name, logs: log, onNews });
  const server = witnessServer(witness, onNews);
  const ended = Promise.race(['SIGTERM', 'SIGINT'].map((signal) => once(process, signal)));
  const address = await server.listen({ host, port });
  console.log(`Witness ready at ${address}\n\n  Key      ${witness.key}`);
  for (const origin of witness.origins) console.log(`  Log      ${origin}`);
  for (const origin of witness.unserved)
    console.log(
      `  Log      ${origin} was signed here before, and is not served: start it again with --log and its key`,
    );
  if (witness.origins.length === 0 && witness.unserved.length === 0)
    console.log('  Log      none yet: start it again with --log, once a log has your key');
  console.log(`\nFor WITNESSES of the log: ${witness.key} <the URL that leads here>`);
  await ended;
  await server.close();
  await witness.close();
}

const command = witnessCommand();
command.parse();
run(command.opts<ProgramOptions>()).catch((error: unknown) => {
  const isPlain = error instanceof FolderInUse || error instanceof KeyRefused;
  const words = isPlain ? error.message : systemWords(error);
  console.error(words === null ? error : `Error: ${words}`);
  process.exitCode = failed;
});
