// Builds @parley/client from the document that the product's own build prints: types, then ESM and CommonJS.
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { StepFailed, binary, root, runStep, runTool } from './tool.mjs';

const folder = path.join(root, 'libs', 'clients', 'client');
const generated = path.join(folder, 'src', 'generated');
const dist = path.join(folder, 'dist');

/**
 * Brings libs/clients/client/dist up to date with the sources and the product's build in dist/. Throws StepFailed.
 * @param {(pid: number) => void} onSpawn called with each tool's id
 */
export async function buildClient(onSpawn) {
  await writeTypes(JSON.parse(await printedDocument(onSpawn)));
  // Built next to the live one, and then moved into its place, so that an import meanwhile finds one of the two.
  const next = path.join(folder, `dist.${process.pid}`);
  try {
    const compile = (name, config, kind) => {
      const args = ['-p', path.join(folder, config), '--outDir', path.join(next, kind), '--noEmitOnError', 'true'];
      return runStep(`building @parley/client (${name})`, binary('tsc'), args, { onSpawn });
    };
    await compile('ESM', 'tsconfig.json', 'esm');
    await compile('CommonJS', 'tsconfig.cjs.json', 'cjs');
    writeFileSync(path.join(next, 'cjs', 'package.json'), '{ "type": "commonjs" }\n');
    rmSync(dist, { recursive: true, force: true });
    renameSync(next, dist);
  } finally {
    rmSync(next, { recursive: true, force: true });
  }
}

/** The document that `GET /openapi.json` returns. The partner API is the same in every mode; the sandbox needs no configuration. */
async function printedDocument(onSpawn) {
  const main = path.join(root, 'dist', 'apps', 'cli', 'src', 'main.js');
  mkdirSync(generated, { recursive: true });
  const file = path.join(generated, 'openapi.json');
  const { exitCode, output } = await runTool(process.execPath, [main, 'contract', 'openapi', '--out', file], {
    cwd: generated, // a folder without .env
    env: { PARLEY_MODE: 'sandbox' },
    onSpawn,
  });
  if (exitCode !== 0) throw new StepFailed('parley contract openapi: failed', output);
  return readFileSync(file, 'utf8');
}

async function writeTypes(document) {
  // Imported late, because this file is loaded before packages are installed.
  const { clientTypes } = await import('./client-types.mjs');
  mkdirSync(generated, { recursive: true });
  for (const [name, text] of Object.entries(await clientTypes(document))) {
    mkdirSync(path.dirname(path.join(generated, name)), { recursive: true });
    writeFileSync(path.join(generated, name), text);
  }
}
