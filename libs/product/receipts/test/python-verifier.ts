import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { debianProgram } from '@app/testing/programs';

const script = join(__dirname, '..', '..', '..', '..', 'test', 'transparency', 'verify.py');

/** A case of a table, as `verify.py table` takes it. */
export interface PythonCase {
  readonly kind: string;
  readonly name: string;
  readonly text: string;
  readonly keys: readonly string[];
  readonly witnesses: readonly string[];
  readonly acceptErased?: boolean;
}

/** The verifier in Python. */
export class PythonVerifier {
  private folder: string | null = null;

  /** Returns the names of the cases that it accepts. */
  async held(cases: readonly PythonCase[]): Promise<string[]> {
    const file = await this.file('cases.json', JSON.stringify(cases));
    return (await this.run('table', file)).split('\n').filter((line) => line !== '');
  }

  /** Returns what it prints about a receipt that holds. */
  async said(receipt: object, ...options: readonly string[]): Promise<string> {
    return this.run('receipt', await this.file('receipt.json', JSON.stringify(receipt)), ...options);
  }

  async remove(): Promise<void> {
    if (this.folder !== null) await rm(this.folder, { recursive: true, force: true });
  }

  private async file(name: string, text: string): Promise<string> {
    this.folder ??= await mkdtemp(join(tmpdir(), 'parley-python-'));
    const file = join(this.folder, name);
    await writeFile(file, text);
    return file;
  }

  private async run(...given: readonly string[]): Promise<string> {
    const { stdout } = await promisify(execFile)(await debianProgram('python3'), ['-B', script, ...given]);
    return stdout;
  }
}
