import { InvalidArgumentError, Option, type Command } from 'commander';
import { CommandFailed } from '../terminal/outcome';
import { mayHoldPassword } from '../terminal/place-in-words';
import { secretIn } from '../terminal/secrets';

/** An option that takes the URL of a store. */
export interface StoreUrlOption {
  readonly isRequired: boolean;
  /** `to`: the options are `--to` and `--to-file`. */
  readonly name: 'to' | 'from';
  readonly description: string;
  readonly form: RegExp;
  readonly forms: string;
}

/** Adds `--<name>`, and `--<name>-file` for a URL with a password: arguments are seen in the list of processes. */
export function withStoreUrl(command: Command, option: StoreUrlOption): Command {
  const { name, form, forms, isRequired } = option;
  const description = isRequired ? `this or --${name}-file is required: ${option.description}` : option.description;
  const parse = (given: string): string => {
    if (!form.test(given)) throw new InvalidArgumentError(`It must begin with ${forms}.`);
    if (mayHoldPassword(given))
      throw new InvalidArgumentError(
        `A password in an argument can be seen in the list of processes: put the URL in a file, and give --${name}-file <file> (- for standard input).`,
      );
    return given;
  };
  return command
    .addOption(new Option(`--${name} <url>`, description).argParser(parse))
    .addOption(
      new Option(
        `--${name}-file <file>`,
        `a file with that URL, - for standard input: for one with a password`,
      ).conflicts(name),
    );
}

/** Returns the URL that was given, or undefined. @throws CommandFailed for a file that cannot be read, or holds another text */
export async function storeUrlOf(command: Command, { name, form, forms }: StoreUrlOption): Promise<string | undefined> {
  const given = command.opts<Readonly<Record<string, string | undefined>>>();
  const file = given[`${name}File`];
  if (file === undefined) return given[name];
  const url = await secretIn(file);
  if (!form.test(url)) throw new CommandFailed(`the URL in ${file} must begin with ${forms}`);
  return url;
}

/** The same, for a required URL. */
export async function requiredStoreUrl(command: Command, option: StoreUrlOption): Promise<string> {
  const url = await storeUrlOf(command, option);
  if (url === undefined) command.error(`error: give --${option.name} or --${option.name}-file`);
  return url;
}
