// Bundles the page into dist/: `npm run build --workspace examples/chat`. `npm start` runs it first.
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const page = fileURLToPath(new URL('page/', import.meta.url));
const dist = fileURLToPath(new URL('dist/', import.meta.url));

const { outputFiles } = await build({
  entryPoints: [`${page}main.jsx`, `${page}style.css`],
  outdir: dist,
  bundle: true,
  minify: true,
  format: 'esm',
  jsx: 'automatic',
  target: 'es2022',
  define: { 'process.env.NODE_ENV': '"production"' },
  logLevel: 'warning',
  write: false,
});
await mkdir(dist, { recursive: true });
for (const { path: file, contents } of outputFiles) await put(path.basename(file), contents);
for (const name of ['index.html', 'icon.svg']) await put(name, await readFile(path.join(page, name)));

/**
 * Skips a file that is unchanged, and replaces others atomically, because another process may be reading them.
 * @param {string} name
 * @param {Uint8Array} contents
 */
async function put(name, contents) {
  const file = path.join(dist, name);
  const there = await readFile(file).catch(() => null); // not built yet
  if (there?.equals(contents)) return;
  await writeFile(`${file}.${process.pid}`, contents);
  await rename(`${file}.${process.pid}`, file);
}
