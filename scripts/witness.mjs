// npm run witness -- …: installs and builds what is missing or stale, then becomes a witness (docs/witness.md).
import './node-version.mjs';
import { Module } from 'node:module';
import path from 'node:path';
import { prepare } from './prepare.mjs';
import { root, runScript, sayOn } from './tool.mjs';

const main = path.join(root, 'dist', 'apps', 'witness', 'src', 'main.js');
let ready = false;
// Stdout is for the witness's own lines.
sayOn(process.stderr);
await runScript(async () => {
  await prepare({ build: true });
  ready = true;
  return 0;
});

if (ready) {
  process.argv[1] = main;
  process.setSourceMapsEnabled(true);
  Module.runMain();
}
