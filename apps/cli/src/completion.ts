import tab from '@bomb.sh/tab/commander';
import type { Command } from 'commander';

/** `parley complete <shell>`: what a shell needs to complete nouns, verbs and options; called last, when all of them are there. */
export function completionCommand(program: Command): void {
  tab(program);
}
