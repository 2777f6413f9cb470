import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A block of a drill, and the claims of the paragraph below it. */
export interface DrillStep {
  readonly commands: string;
  /** Texts and `$NAMES` that the output contains. */
  readonly shows: readonly string[];
  readonly endsWith: number;
  /** Variables that the reader takes from the output, each with the label under which it is found. */
  readonly takes: readonly { readonly name: string; readonly label: string }[];
}

/** The outcome of a block: its exit code, and everything that it printed. */
export interface StepOutcome {
  readonly code: number | null;
  readonly output: string;
}

const runbook = readFileSync(join(__dirname, '..', '..', 'docs', 'runbook.md'), 'utf8');

/** The statement of the page "Who holds a lock". */
export const lockStatement = /^```sql\n(.*?)^```$/ms.exec(runbook)?.[1] ?? '';

/** The drills of the runbook by their titles, in their order. */
export function drillPages(): ReadonlyMap<string, readonly DrillStep[]> {
  const [, drills = ''] = runbook.split(/^## Drills$/m);
  const pages = drills.split(/^### /m).slice(1);
  return new Map(pages.map((page) => [page.split('\n')[0] ?? '', stepsOf(page)]));
}

/** The blocks of a page, each with the claims of the paragraph below it. */
export function stepsOf(page: string): DrillStep[] {
  const blocks = [...page.matchAll(/^```sh\n(.*?)^```\n\n((?:[^\n]+\n)*)/gms)];
  const steps = blocks.map(([, commands = '', paragraph = '']) => ({
    commands,
    claims: paragraph.replaceAll('\n', ' '),
  }));
  return steps.map(({ commands, claims }) => ({
    commands,
    shows: quotedIn(/Shows ((?:`[^`]+`(?:, )?)+)/.exec(claims)?.[1] ?? ''),
    endsWith: Number(/Ends with (\d)/.exec(claims)?.[1] ?? 0),
    takes: [...(/Take ([^.]*)\./.exec(claims)?.[1] ?? '').matchAll(/`\$([A-Z_]+)`(?: \(`([^`]+)`\))?/g)].map(
      ([, name = '', label]) => ({ name, label: label ?? name.replaceAll('_', ' ') }),
    ),
  }));
}

const quotedIn = (text: string): string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, quoted = '']) => quoted);

/** Returns the first id or digest below a label. Throws if there is none. */
export function taken(output: string, label: string): string {
  const value = '((?:[a-z]+-)?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{64})';
  const [, found] = new RegExp(`\\b${label}\\b[^]*?\\b${value}\\b`, 'i').exec(output) ?? [];
  if (found === undefined) throw new Error(`nothing is found under ${label} in:\n${output}`);
  return found;
}

/** Runs a block as its reader would, with the variables set. */
export async function runStep(
  commands: string,
  { cwd, programs, variables }: { cwd: string; programs: string; variables: Readonly<Record<string, string>> },
): Promise<StepOutcome> {
  const { PATH = '', HOME = '/' } = process.env;
  const env = { ...variables, PATH: `${programs}:${PATH}`, HOME };
  const child = spawn('bash', ['-c', `set -u\n${commands}`], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  await once(child, 'close');
  return { code: child.exitCode, output };
}
