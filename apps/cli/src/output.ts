import type { Command } from 'commander';
import { once } from 'node:events';
import { outputLost } from './lost-output';

/**
 * Everything that the command line writes goes through this file. What users, partners and servers wrote reaches
 * the terminal without a character that a terminal obeys, or that changes the order of what is read: each one is shown as JSON spells it,
 * `\u001b`. Escapes of JSON are still JSON, so a reader of `--json` gets what was stored.
 */

/** Control (C0, C1), format (bidirectional, zero-width, tags), private, unassigned, unpaired surrogates, line and paragraph separators. */
const obeyed = /[\p{C}\p{Zl}\p{Zp}]/gu;

const hex = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** A text on one line, in which each character that a terminal would obey is spelled as JSON escapes it. */
export function visible(text: string): string {
  return text.replace(obeyed, (found) => [...Array(found.length).keys()].map((at) => hex(found.charAt(at))).join(''));
}

/** A JSON document, or lines of them, as `visible`; its own line breaks stay. */
function visibleJson(json: string): string {
  return json.split('\n').map(visible).join('\n');
}

/** A line of a result, on stdout. */
export function say(line: string): void {
  process.stdout.write(`${visible(line)}\n`);
}

/** Lines that are no result: progress, what is wrong, what is tried again; on stderr. Line breaks begin new lines. */
export function note(lines: string): void {
  process.stderr.write(`${lines.split('\n').map(visible).join('\n')}\n`);
}

/** A document of JSON, or lines of it, on stdout. */
export function sayJson(json: string): void {
  process.stdout.write(`${visibleJson(json)}\n`);
}

/** Prints a result to stdout: as one JSON document where `--json` was given, else as these lines. */
export function print(command: Command, value: unknown, lines: readonly string[]): void {
  const { json } = command.optsWithGlobals<{ readonly json?: boolean }>();
  if (json === true) sayJson(JSON.stringify(value, null, 2));
  else for (const line of lines) say(line);
}

/** Takes JSON in chunks and writes it as fast as its reader takes it. */
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

/** Begins a terminal's screen again; elsewhere nothing. */
export function beginScreen(): void {
  if (process.stdout.isTTY) process.stdout.write('\u001b[H\u001b[2J\u001b[3J');
}

/** Has what commander says of usage, help included, go the same way; it marks what must be given, and after an error says what there is. */
export function sayUsage(command: Command): void {
  command.configureOutput({
    writeOut: (text) => process.stdout.write(visibleJson(text)),
    writeErr: (text) => process.stderr.write(visibleJson(text)),
    outputError: (text, write) => write(withoutValues(text)),
  });
  command.configureHelp({
    // Also what stands next to a long name stays within 80 columns.
    minWidthToWrap: 20,
    optionDescription: (option) => {
      const choices = option.argChoices === undefined ? '' : ` (one of ${option.argChoices.join(', ')})`;
      return `${option.mandatory ? 'required: ' : ''}${option.description}${choices}`;
    },
    argumentDescription: ({ description, argChoices }) =>
      argChoices === undefined ? description : `${description} (one of ${argChoices.join(', ')})`,
  });
  const names = command.commands.map((one) => one.name()).filter((name) => name !== 'complete');
  command.showHelpAfterError(
    names.length > 0 ? `There are: ${names.sort().join(', ')}.` : `${pathOf(command)} --help shows what it takes.`,
  );
}

/**
 * Commander's words for a wrong argument, without the argument: a secret that was given in a wrong place must not reach a terminal's history
 * or a log. Each pattern takes all up to its last end, so a value that holds our words is left out whole.
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

/** The name of an option that there is not is shown where it can be nothing but a name. */
function unknownOption(found: string): string {
  const [, name] = /'(--[a-z]+(?:-[a-z]+)*)(?:=[\s\S]*)?'$/.exec(found) ?? [];
  return name === undefined ? 'there is no such option' : `there is no option ${name}`;
}

function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

/** Columns of the terminal that results go to; undefined where it is none. */
export function terminalColumns(): number | undefined {
  return process.stdout.columns;
}

/** Where progress is drawn. */
export const noteStream = process.stderr;
