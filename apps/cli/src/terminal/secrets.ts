import { InvalidArgumentError, Option, type Command } from 'commander';
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { CommandFailed } from './outcome';

/** A secret that a command takes: never as an argument, because all users of the machine see those in the list of processes. */
export interface SecretOption {
  /** `key`: the option is `--key-file`. */
  readonly name: string;
  readonly description: string;
  /** The variable that is read when the option is not given. */
  readonly variable?: string;
}

/** Adds `--<name>-file` and, hidden, `--<name>`, whose error explains how to pass the secret. */
export function withSecret(command: Command, { name, description, variable }: SecretOption): Command {
  const ways = [`--${name}-file <file> (- for standard input)`, ...(variable === undefined ? [] : [variable])];
  const refuse = (): never => {
    throw new InvalidArgumentError(
      `Arguments can be seen in the list of processes: give it by ${ways.join(' or by ')}.`,
    );
  };
  const also = variable === undefined ? '' : `; ${variable} unless given`;
  return command
    .addOption(new Option(`--${name} <secret>`).hideHelp().argParser(refuse))
    .option(`--${name}-file <file>`, `a file with ${description}, - for standard input${also}`);
}

/** Returns the secret that the options or the variable name; undefined when neither does. @throws CommandFailed */
export async function secretOf(command: Command, { name, variable }: SecretOption): Promise<string | undefined> {
  const given = command.opts<Readonly<Record<string, unknown>>>()[`${camel(name)}File`];
  if (typeof given === 'string') return secretIn(given);
  const value = variable === undefined ? undefined : process.env[variable];
  return value === '' ? undefined : value;
}

/** Returns the content of a file, or of standard input for `-`, without surrounding whitespace. @throws CommandFailed */
export async function secretIn(file: string): Promise<string> {
  const read = file === '-' ? text(process.stdin) : readFile(file, 'utf8');
  const whole = await read.catch((error: NodeJS.ErrnoException) => {
    throw new CommandFailed(`${file} cannot be read (${error.code ?? error.message})`);
  });
  const secret = whole.trim();
  if (secret === '') throw new CommandFailed(`${file === '-' ? 'standard input' : file} is empty`);
  return secret;
}

const camel = (name: string): string => name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
