// Builds @parley/verify: the parts of the product that verify, in one file each for ESM and CommonJS, with their types, and verify.html.
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { StepFailed, root } from './tool.mjs';
import { pageOf } from './verify-page.mjs';

const folder = path.join(root, 'libs', 'clients', 'verify');
const dist = path.join(folder, 'dist');
const libraries = ['platform', 'product', 'adapters', 'stores'].map((room) => path.join(root, 'libs', room));

/** Packages that may be in the bundle: they are pure, and their licenses are included. */
const bundled = ['@noble/curves', '@noble/hashes', '@scure/base', '@sinclair/typebox', 'canonicalize', 'uuid'];

/** Its declarations, by their path in `dist`. Every library that they refer to must be among them. */
const declared = {
  index: 'libs/clients/verify/src/index.ts',
  trust: 'libs/clients/verify/src/trust.ts',
  'event-proof': 'libs/clients/verify/src/event-proof.ts',
  'receipts/receipt-report': 'libs/product/receipts/src/receipt-report.ts',
  'receipts/receipt-verifier': 'libs/product/receipts/src/receipt-verifier.ts',
};
const receiptsIndex = "export * from './receipt-report.js';\nexport * from './receipt-verifier.js';\n";

/** Brings libs/clients/verify/dist up to date with the sources. Throws StepFailed. */
export async function buildVerify() {
  // Built next to the live one, and then moved into its place, so that an import meanwhile finds one of the two.
  const next = path.join(folder, `dist.${process.pid}`);
  try {
    const page = path.join(folder, 'page');
    const bundles = [
      await bundle(path.join('src', 'index.ts'), 'esm'),
      await bundle(path.join('src', 'index.ts'), 'cjs'),
      await bundle(path.join('page', 'page.ts'), 'iife'),
    ];
    const [esm, cjs, script] = bundles.map(({ code }) => code);
    const licenses = licensesOf(bundles.flatMap(({ inputs }) => inputs));
    for (const kind of ['esm', 'cjs']) mkdirSync(path.join(next, kind), { recursive: true });
    writeFileSync(path.join(next, 'esm', 'index.js'), esm);
    writeFileSync(path.join(next, 'cjs', 'index.js'), cjs);
    writeFileSync(path.join(next, 'cjs', 'package.json'), '{ "type": "commonjs" }\n');
    writeFileSync(path.join(next, 'LICENSES.txt'), licenses);
    writeFileSync(path.join(next, 'verify.html'), pageOf(page, script, licenses));
    for (const kind of ['esm', 'cjs']) await writeDeclarations(path.join(next, kind));
    rmSync(dist, { recursive: true, force: true });
    renameSync(next, dist);
  } finally {
    rmSync(next, { recursive: true, force: true });
    await stopBundler();
  }
}

/** Ends the process that esbuild keeps for further builds; otherwise it runs as long as `npm start` does. */
async function stopBundler() {
  const { stop } = await import('esbuild');
  await stop();
}

/**
 * Slices are imported by their index, which exports everything. No imported file has side effects, so only the used parts of a file are
 * included; a remaining import of any package but those above fails the build.
 */
async function bundle(entry, format) {
  // Imported late, because this file is loaded before packages are installed.
  const { build } = await import('esbuild');
  const { metafile, outputFiles } = await build({
    entryPoints: [path.join(folder, entry)],
    write: false,
    tsconfig: path.join(root, 'tsconfig.json'),
    bundle: true,
    format,
    platform: 'browser',
    target: 'es2022',
    metafile: true,
    legalComments: 'inline',
    logLevel: 'warning',
    plugins: [onlyWhatIsUsed],
  });
  const [output] = Object.values(metafile.outputs);
  const left = output.imports.map((one) => one.path);
  if (left.length > 0)
    throw new StepFailed('building @parley/verify', `it would need ${[...new Set(left)].join(', ')}`);
  const inputs = Object.keys(output.inputs).filter((file) => output.inputs[file].bytesInOutput > 0);
  return { code: outputFiles[0].text, inputs };
}

/** The file of ours that hashes, and its replacement for `node:crypto` where there is no Node. */
const hashing = path.join(root, 'libs', 'platform', 'canonical', 'src', 'canonical.ts');
const standIn = path.join(folder, 'src', 'node-crypto.ts');

const onlyWhatIsUsed = {
  name: 'only-what-is-used',
  setup({ onResolve, resolve }) {
    onResolve({ filter: /./ }, async ({ path: wanted, resolveDir, kind, importer, pluginData }) => {
      if (kind === 'entry-point' || pluginData === 'asked') return undefined;
      if (wanted === 'node:crypto' && importer === hashing) return { path: standIn, sideEffects: false };
      const unused = { path: wanted, external: true, sideEffects: false };
      const isOurs = wanted.startsWith('.') || wanted.startsWith('@app/') || path.isAbsolute(wanted);
      const isBundled = bundled.some((name) => wanted === name || wanted.startsWith(`${name}/`));
      if (!isOurs && !isBundled) return unused;
      const found = await resolve(wanted, { resolveDir, kind, importer, pluginData: 'asked' });
      return found.errors.length > 0 ? { errors: found.errors } : { path: found.path, sideEffects: false };
    });
  },
};

/** The licenses of the bundled packages. */
function licensesOf(inputs) {
  const used = bundled.filter((name) => inputs.some((file) => file.includes(`node_modules/${name}/`)));
  return used
    .map((name) => {
      const at = path.join(root, 'node_modules', name);
      const license = readdirSync(at).find((file) => /^licen[cs]e/i.test(file));
      const { version } = JSON.parse(readFileSync(path.join(at, 'package.json'), 'utf8'));
      return `${name} ${version}\n\n${readFileSync(path.join(at, license), 'utf8').trim()}\n`;
    })
    .join(`\n${'-'.repeat(80)}\n\n`);
}

/** Writes the declarations of these files, which see each other and nothing else, so they spell out all other types. */
async function writeDeclarations(outdir) {
  const { default: ts } = await import('typescript');
  const files = { ...declared };
  for (const file of readdirSync(libraryFolder('transparency')))
    if (file.endsWith('.ts') && !file.endsWith('.spec.ts'))
      files[`transparency/${file.slice(0, -3)}`] = path.relative(root, path.join(libraryFolder('transparency'), file));
  const program = ts.createProgram(
    Object.values(files).map((file) => path.join(root, file)),
    {
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      target: ts.ScriptTarget.ES2022,
      strict: true,
      declaration: true,
      emitDeclarationOnly: true,
      noResolve: true,
      noCheck: true, // they are checked with the product's
      types: [],
    },
  );
  for (const [name, source] of Object.entries(files)) {
    const target = path.join(outdir, `${name}.d.ts`);
    mkdirSync(path.dirname(target), { recursive: true });
    const write = (_, text) => writeFileSync(target, asPublished(text, name.split('/').length - 1));
    program.emit(program.getSourceFile(path.join(root, source)), write);
  }
  writeFileSync(path.join(outdir, 'receipts', 'index.d.ts'), receiptsIndex);
}

/** Replaces the names of other files by their published ones. */
function asPublished(text, depth) {
  const up = depth === 0 ? './' : '../'.repeat(depth);
  return text
    .replaceAll(/(from |import\()(['"])(\.[^'"]*?)(?:\.js)?\2/g, "$1'$3.js'")
    .replaceAll(/(from |import\()(['"])@app\/([^'"]*)\2/g, `$1'${up}$3/index.js'`);
}

function libraryFolder(name) {
  const room = libraries.find((one) => existsSync(path.join(one, name)));
  return path.join(room, name, 'src');
}
