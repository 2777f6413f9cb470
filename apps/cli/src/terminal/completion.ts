import tab from '@bomb.sh/tab/commander';
import type { Command } from 'commander';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { say } from './output';

/** In a checkout, the command line of the build. */
const script = join(__dirname, '..', '..', '..', '..', '..', 'scripts', 'parley.mjs');

/** Definitions of a command `parley` for a shell that does not know it, because completion works only for a known command. */
const definitions: Readonly<Record<string, (path: string) => string>> = {
  bash: (path) => `command -v parley >/dev/null 2>&1 || parley() { node ${quotedFor(path)} "$@"; }`,
  zsh: (path) => `command -v parley >/dev/null 2>&1 || parley() { node ${quotedFor(path)} "$@"; }`,
  fish: (path) => `type -q parley; or function parley; node ${quotedFor(path)} $argv; end`,
  powershell: (path) =>
    `if (-not (Get-Command parley -ErrorAction SilentlyContinue)) { function global:parley { node '${path.replaceAll("'", "''")}' @args } }`,
};

/** `parley complete <shell>`: prints the script that completes nouns, verbs and options; call it last, when all of them are defined. */
export function completionCommand(program: Command): void {
  tab(program);
  const command = program.commands.find((one) => one.name() === 'complete');
  command?.hook('postAction', ({ args: [shell = ''] }) => {
    const definition = definitions[shell];
    // A shell that completes passes a `--`.
    if (definition !== undefined && !process.argv.includes('--') && existsSync(script)) say(definition(script));
  });
}

const quotedFor = (path: string): string => `'${path.replaceAll("'", `'\\''`)}'`;
