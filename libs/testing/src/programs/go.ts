import { execFile, type ExecFileException } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { debianProgram } from './debian';

const run = promisify(execFile);
/** Path of Debian's packages of libraries, for use without a network and without modules. */
const goPath = '/usr/share/gocode';

/**
 * Compiles a program of one file with Debian's Go and the libraries of its packages. @param folder for the program and
 * for Go's cache
 */
export async function compileGo(source: string, folder: string): Promise<string> {
  const go = await debianProgram('go');
  const program = join(folder, 'program');
  const env = { ...process.env, GO111MODULE: 'off', GOPATH: goPath, GOCACHE: join(folder, 'cache'), GOFLAGS: '' };
  for (const args of [
    ['vet', source],
    ['build', '-o', program, source],
  ]) {
    await run(go, args, { env }).catch((failed: ExecFileException) => {
      throw new Error(`${source} does not compile:\n${failed.stdout}${failed.stderr}`);
    });
  }
  return program;
}
