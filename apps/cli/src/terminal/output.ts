import type { Command } from 'commander';
import { once } from 'node:events';
import { outputLost } from './lost-output';

/**
 * All output of the command line goes through this file. Texts of users, partners and servers reach the terminal without characters that a
 * terminal obeys, or that change the reading order: each is shown as a JSON escape, `\u001b`. Escaped JSON is still JSON, so a reader of
 * `--json` gets what was stored.
 */

/** Control (C0, C1), format (bidirectional, zero-width, tags), private, unassigned, unpaired surrogates, line and paragraph separators. */
const obeyed = /[\p{C}\p{Zl}\p{Zp}]/gu;

const hex = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** A text on one line, with each character that a terminal would obey as a JSON escape. */
export function visible(text: string): string {
  return text.replace(obeyed, (found) => [...Array(found.length).keys()].map((at) => hex(found.charAt(at))).join(''));
}

/** A JSON document, or lines of them, as `visible`; its own line breaks stay. */
function visibleJson(json: string): string {
  return json.split('\n').map(visible).join('\n');
}

/** Writes a line of a result to stdout. */
export function say(line: string): void {
  process.stdout.write(`${visible(line)}\n`);
}

/** Writes lines that are no result to stderr: progress, errors, retries. Line breaks begin new lines. */
export function note(lines: string): void {
  process.stderr.write(`${lines.split('\n').map(visible).join('\n')}\n`);
}

/** Writes a document of JSON, or lines of it, to stdout. */
export function sayJson(json: string): void {
  process.stdout.write(`${visibleJson(json)}\n`);
}

/** Prints a result to stdout: as one JSON document with `--json`, otherwise as these lines. */
export function print(command: Command, value: unknown, lines: readonly string[]): void {
  const { json } = command.optsWithGlobals<{ readonly json?: boolean }>();
  if (json === true) sayJson(JSON.stringify(value, null, 2));
  else for (const line of lines) say(line);
}

/** Writes JSON in chunks, as fast as its reader takes it. */
export class JsonChunks {
  private readonly decoder = new TextDecoder();

  async write(chunk: Uint8Array): Promise<void> {
    await this.put(this.decoder.decode(chunk, { stream: true }));
  }

  async end(): Promise<void> {
    await this.put(this.decoder.decode());
  }

  private async put(text: string): Promise<void> {
    outputLost.throwIfAborted();
    if (text !== '' && !process.stdout.write(visibleJson(text)))
      await once(process.stdout, 'drain', { signal: outputLost });
  }
}

/** Clears a terminal's screen; does nothing elsewhere. */
export function beginScreen(): void {
  if (process.stdout.isTTY) process.stdout.write('\u001b[H\u001b[2J\u001b[3J');
}

/** Sends commander's messages on usage, including help, the same way; marks required options, and lists the commands after an error. */
export function sayUsage(command: Command): void {
  command.configureOutput({
    writeOut: (text) => process.stdout.write(visibleJson(text)),
    writeErr: (text) => process.stderr.write(visibleJson(text)),
    outputError: (text, write) => write(withoutValues(text)),
  });
  command.configureHelp({
    // Wraps even the text next to a long name, so that it stays within 80 columns.
    minWidthToWrap: 20,
    optionDescription: (option) => {
      const choices = option.argChoices === undefined ? '' : ` (one of ${option.argChoices.join(', ')})`;
      return `${option.mandatory ? 'required: ' : ''}${option.description}${choices}`;
    },
    argumentDescription: ({ description, argChoices }) =>
      argChoices === undefined ? description : `${description} (one of ${argChoices.join(', ')})`,
  });
  const names = command
    .createHelp()
    .visibleCommands(command)
    .map((one) => one.name())
    .sort();
  command.showHelpAfterError(
    command.commands.length > 0 ? `There are: ${names.join(', ')}.` : `${pathOf(command)} --help shows what it takes.`,
  );
}

/**
 * Returns commander's message for a wrong argument, without the argument: a secret given in a wrong place must not reach a terminal's
 * history or a log. Each pattern matches up to its last end, so a value that contains our words is left out entirely.
 */
function withoutValues(text: string): string {
  return text
    .replace(/^(error: option '[^']*') argument '[\s\S]*' is invalid\./, '$1 does not take what was given.')
    .replace(
      /^error: command-argument value '[\s\S]*' is invalid for argument '(\w+)'\./,
      "error: '$1' does not take what was given.",
    )
    .replace(/^error: unknown command '[\s\S]*'(?=\n*$|\n\(Did you mean )/, 'error: there is no such command')
    .replace(/^error: unknown option '[\s\S]*'(?=\n*$|\n\(Did you mean )/, (found) => `error: ${unknownOption(found)}`);
}

/** The name of an unknown option is shown only when it can be nothing but a name. */
function unknownOption(found: string): string {
  const [, name] = /'(--[a-z]+(?:-[a-z]+)*)(?:=[\s\S]*)?'$/.exec(found) ?? [];
  return name === undefined ? 'there is no such option' : `there is no option ${name}`;
}

function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

/** Columns of the terminal that results go to; undefined when it is none. */
export function terminalColumns(): number | undefined {
  return process.stdout.columns;
}

/** The stream for progress. */
export const noteStream = process.stderr;
