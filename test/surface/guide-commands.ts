import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const guidesFolder = join(__dirname, '..', '..', 'docs', 'guides');
const outputMax = 4 * 1024 * 1024;
/** The guides whose commands work when pasted. */
export const guides = [
  'first-run',
  'approvals',
  'withdrawals',
  'funding',
  'automations',
  'models-and-agents',
  'streaming',
  'webhooks',
  'feed',
  'errors',
];

/** Members whose values a guide states; of others only the presence is checked. */
const stated = new Set([
  'status',
  'reason',
  'type',
  'kind',
  'retryable',
  'delivery',
  'trigger',
  'decided',
  'tool',
  'state',
]);

/** A command block of a guide, with the guide's statements about its answer. */
export interface CommandBlock {
  readonly commands: string;
  /** Whether the same step follows in TypeScript. */
  readonly hasTypescript: boolean;
  /** The status that the text after the block names; null when it names none. */
  readonly status: number | null;
  /** The JSON that the guide shows as the answer, or null. */
  readonly sample: unknown;
}

/** The result of running a block. */
export interface BlockRun {
  readonly statuses: readonly number[];
  readonly output: string;
}

/** The blocks of a guide in their order. */
export function commandBlocks(guide: string): readonly CommandBlock[] {
  const markdown = readFileSync(join(guidesFolder, `${guide}.md`), 'utf8');
  return [
    ...markdown.matchAll(
      /^```sh\n(.*?)^```\n\n(```typescript\n.*?^```\n\n)?([^\n]*)(?:[^`]*?\n)?(?:\n```json\n(.*?)^```)?/gms,
    ),
  ].map(([, commands = '', typescript, text = '', sample]) => {
    const [, status] = /^Answers `(\d{3})`/.exec(text) ?? [];
    return {
      commands,
      hasTypescript: typescript !== undefined,
      status: status === undefined ? null : Number(status),
      sample: sample === undefined ? null : JSON.parse(sample),
    };
  });
}

/** Runs blocks one after another in one shell, as a user who pastes them would. Every `curl` also prints its status to stderr. */
export async function runBlocks(
  folder: string,
  blocks: readonly string[],
  withinMs: number,
): Promise<readonly BlockRun[]> {
  const script = [
    // Background jobs of a guide end with the shell.
    `trap 'kill $(jobs -p) 2> /dev/null' EXIT`,
    `curl() { command curl "$@" -w '\\n%{stderr}@status %{http_code}\\n'; }`,
    ...blocks.map((commands, index) => `echo "@block ${index}"; echo "@block ${index}" >&2\n${commands}`),
  ].join('\n');
  const { output, errors } = await bash(script, folder, withinMs);
  const [outputs, notes] = [perBlock(output), perBlock(errors)];
  return blocks.map((_, index) => ({
    output: outputs.get(index) ?? '',
    statuses: [...(notes.get(index) ?? '').matchAll(/^@status (\d{3})$/gm)].map(([, status]) => Number(status)),
  }));
}

function bash(script: string, cwd: string, timeout: number): Promise<{ output: string; errors: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn('bash', ['-c', script], { cwd, env: { PATH: process.env['PATH'] ?? '' }, timeout });
    let output = '';
    let errors = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (output = (output + chunk).slice(-outputMax)));
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => (errors = (errors + chunk).slice(-outputMax)));
    child.on('error', reject);
    child.on('close', () => resolve({ output, errors }));
  });
}

function perBlock(text: string): Map<number, string> {
  const parts = text.split(/^@block (\d+)$/m);
  return new Map(parts.flatMap((part, index) => (index % 2 === 1 ? [[Number(part), parts[index + 1] ?? '']] : [])));
}

/** Differences between an answer and the guide's sample: members that are missing or of another type, as JSON pointers. */
export function differences(sample: unknown, answer: unknown, at = ''): string[] {
  if (Array.isArray(sample)) {
    return Array.isArray(answer) ? sample.slice(0, 1).flatMap((one) => differences(one, answer[0], `${at}/0`)) : [at];
  }
  if (typeof sample !== 'object' || sample === null) return [];
  if (typeof answer !== 'object' || answer === null) return [at];
  return Object.entries(sample).flatMap(([name, value]: [string, unknown]) => {
    const given: unknown = Reflect.get(answer, name);
    const pointer = `${at}/${name}`;
    if (given === undefined) return [pointer];
    const isOther = stated.has(name) && value !== given;
    const isOfOtherType = value !== null && given !== null && typeof value !== typeof given;
    return isOther || isOfOtherType ? [pointer] : differences(value, given, pointer);
  });
}
