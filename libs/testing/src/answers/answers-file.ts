import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Names the file in which all workers of a jest run record the answers that they checked: one line each, `<operation>
 * <status>`.
 */
export const answersVariable = 'PARLEY_TEST_ANSWERS';

/** Begins a run; for jest's globalSetup. */
export function beginAnswers(): void {
  process.env[answersVariable] = join(tmpdir(), `parley-test-answers-${process.pid}`);
}

export function answersFile(): string {
  const file = process.env[answersVariable];
  if (file === undefined) throw new Error('the run was not begun');
  return file;
}

/** Prints one line about all answers of the run; for jest's globalTeardown. */
export function tellAnswers(): void {
  const lines = readLines(answersFile());
  rmSync(answersFile(), { force: true });
  if (lines.length === 0) return;
  const kinds = new Set(lines);
  const operations = new Set(lines.map((line) => line.split(' ')[0]));
  const successes = [...kinds].filter((kind) => / 2\d\d$/.test(kind));
  console.log(
    `answers held against the published OpenAPI: ${lines.length}, of ${operations.size} operations (${successes.length} with a success), ${kinds.size} pairs of operation and status; 0 undocumented`,
  );
}

function readLines(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n').filter(Boolean);
  } catch {
    // No suite of this run called a service.
    return [];
  }
}
