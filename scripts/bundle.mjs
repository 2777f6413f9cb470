// Bundles each app of the build into one file, app.js, and stores the code that V8 compiles for it: finding, reading and compiling 2,600
// modules takes a process 1.6 s of CPU.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { decode, encode } from '@jridgewell/sourcemap-codec';
import { build } from 'esbuild';

const root = path.dirname(import.meta.dirname);
const dist = path.join(root, 'dist');

/** Packages that Nest loads only if they are installed. */
const optional = [
  'class-transformer',
  '@nestjs/microservices',
  '@nestjs/websockets',
  '@nestjs/platform-express',
  '@fastify/multipart',
  '@fastify/static',
  '@fastify/view',
];
/** Packages that load files of their own folder, and packages that few processes ever load. */
const apart = [
  'jsonc-parser',
  'pino',
  'pino-pretty',
  'pdfjs-dist',
  '@aws-sdk/*',
  'ai',
  '@ai-sdk/*',
  '@modelcontextprotocol/*',
];

/** Gives a module of ours the same `__dirname` as outside of a bundle. */
const ownFolders = {
  name: 'own-folders',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]dist[\\/](apps|libs)[\\/].*\.js$/ }, ({ path: file }) => {
      const contents = readFileSync(file, 'utf8');
      if (!contents.includes('__dirname')) return null;
      const folder = JSON.stringify(path.relative(dist, path.dirname(file)).split(path.sep));
      return {
        contents: contents.replace(
          '"use strict";',
          `"use strict";const __dirname = require('node:path').join(distFolder, ...${folder});`,
        ),
      };
    });
  },
};

/** esbuild's function that sets the name of a class or function; one that does nothing; and the calls for classes. */
const naming = 'var __name = (target, value) => __defProp(target, "name", { value, configurable: true });';
const notNaming = 'var __name = (target) => target;';
const ofClass = /\b__name(?=\((?:this, "|class\b))/g;

/**
 * Sets the names of classes only. Setting those of functions runs for each closure that a request makes: it took 3 KiB of every idle
 * stream, and 4 % of the CPU of a short request.
 */
function nameClassesOnly(file) {
  const code = readFileSync(file, 'utf8');
  if (!code.includes(naming)) throw new Error(`esbuild names classes in another way: ${file}`);
  const named = code.replace(ofClass, '__nameClass');
  writeFileSync(
    file,
    named.replace(naming, () => `${naming.replace('__name', '__nameClass')} ${notNaming}`),
  );
}

/**
 * Reduces a bundle's source map to what stacks need: where lines of our own sources begin. Packages are nine tenths of it, and names and
 * columns most of the remainder; Node reads it all for the first stack of a process, which took a quarter of a second of CPU.
 */
function mapOwnLinesOnly(file) {
  const map = JSON.parse(readFileSync(file, 'utf8'));
  const sources = map.sources.filter((source) => !source.includes('node_modules/'));
  const ownIndex = map.sources.map((source) => sources.indexOf(source));
  let lastOwn = -1;
  const lines = decode(map.mappings).map((segments) => {
    let lineKept = -1;
    return segments.flatMap(([column, source, line, sourceColumn]) => {
      const [own, before] = [ownIndex[source] ?? -1, lastOwn];
      lastOwn = own;
      if (own < 0) return before < 0 ? [] : [[column]]; // from here on nothing is mapped
      if (own === before && line === lineKept) return [];
      lineKept = line;
      return [[column, own, line, sourceColumn]];
    });
  });
  writeFileSync(file, JSON.stringify({ ...map, sources, names: [], mappings: encode(lines) }));
}

/** Makes a bundle pure ASCII, so that V8 stores a byte a character. esbuild leaves some in regular expressions and comments. */
function escapeNonAscii(file) {
  const code = readFileSync(file, 'utf8');
  const escape = (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  writeFileSync(file, code.replace(/[\u0080-\uffff]/g, escape));
}

/** Ends at once because of a configuration that no app accepts, having compiled what every start needs. */
const keepCode = `
  const app = require(process.argv[1]);
  const script = app.compile();
  process.on('exit', () => require('node:fs').writeFileSync(app.codeFile, script.createCachedData()));
  app.run(script);`;

/** Stores the code that V8 compiles for the app of this folder (app-main.cjs). @throws when it does not end, or left none */
function keepCompiledCode(folder) {
  const main = path.join(folder, 'main.js');
  const env = { PATH: process.env.PATH, PORT: 'none' };
  const { stderr } = spawnSync(process.execPath, ['-e', keepCode, main], { env, cwd: folder, timeout: 60_000 });
  if (!existsSync(path.join(folder, 'app.js.code'))) throw new Error(`${main} left no code: ${stderr}`);
}

/** Bundles every app of `dist` after `nest build`: app.js, and a main.js that runs it. @throws when esbuild fails */
export async function bundleApps() {
  const folders = readdirSync(path.join(dist, 'apps')).map((app) => path.join(dist, 'apps', app, 'src'));
  await build({
    entryPoints: folders.map((folder) => ({
      in: path.join(folder, 'main.js'),
      out: path.relative(dist, path.join(folder, 'app')),
    })),
    outdir: dist,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    keepNames: true, // Nest and TypeORM use the names of classes
    supported: { 'dynamic-import': false }, // stored compiled code does not support it, so it becomes `require`
    sourcemap: true,
    sourcesContent: false,
    external: [...optional, ...apart],
    plugins: [ownFolders],
    banner: { js: "const distFolder = require('node:path').join(__dirname, '..', '..', '..');" },
    loader: { '.map': 'empty' },
    logLevel: 'warning',
    logOverride: { 'require-resolve-not-external': 'silent' },
  });
  for (const folder of folders) {
    const app = path.join(folder, 'app.js');
    nameClassesOnly(app);
    escapeNonAscii(app);
    mapOwnLinesOnly(`${app}.map`);
    copyFileSync(path.join(import.meta.dirname, 'app-main.cjs'), path.join(folder, 'main.js'));
    rmSync(path.join(folder, 'main.js.map'), { force: true });
    keepCompiledCode(folder);
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await bundleApps();
