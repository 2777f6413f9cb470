import { randomBytes } from 'node:crypto';
import { asyncApiOf, openApiOf } from '@app/composition';
import { openApi30 } from '@app/http';
import { readConfiguration } from '@app/settings';
import { Command } from 'commander';
import { sayJson } from './terminal/output';
import { writeWhole } from './terminal/whole-file';

/** `parley contract …`: prints the document that `GET` of that name with `.json` returns, without store or service. */
export function contractCommand(): Command {
  const command = new Command('contract').description('print the published contract');
  command
    .command('openapi')
    .description('OpenAPI 3.1, as GET /openapi.json answers it')
    .option('--out <file>', 'write it to a file')
    .action(async ({ out }: { readonly out?: string }) => print(await openApiOf(anyConfiguration()), out));
  command
    .command('openapi-3.0')
    .description('the same contract in OpenAPI 3.0.3, as GET /openapi-3.0.json answers it')
    .option('--out <file>', 'write it to a file')
    .action(async ({ out }: { readonly out?: string }) => print(openApi30(await openApiOf(anyConfiguration())), out));
  command
    .command('asyncapi')
    .description('AsyncAPI 3, as GET /asyncapi.json answers it')
    .option('--out <file>', 'write it to a file')
    .action(async ({ out }: { readonly out?: string }) => print(asyncApiOf(anyConfiguration()), out));
  return command;
}

/** The environment's configuration; the secret key, on which no document depends, is generated when none is set. */
function anyConfiguration() {
  return readConfiguration({ PARLEY_SECRET_KEY: randomBytes(32).toString('base64'), ...process.env });
}

async function print(document: object, out: string | undefined): Promise<void> {
  const text = JSON.stringify(document, null, 2);
  if (out === undefined) sayJson(text);
  else await writeWhole(out, `${text}\n`);
}
