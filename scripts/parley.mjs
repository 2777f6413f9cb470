#!/usr/bin/env node
// npm run parley -- …: installs and builds what is missing or stale, then becomes the command line. Output of the preparation goes to
// stderr.
import './node-version.mjs';
import { Module } from 'node:module';
import path from 'node:path';
import { prepare } from './prepare.mjs';
import { root, runScript, sayOn } from './tool.mjs';

const main = path.join(root, 'dist', 'apps', 'cli', 'src', 'main.js');
let ready = false;
// Stdout is for results.
const { log } = console;
console.log = console.error;
sayOn(process.stderr);

await runScript(async () => {
  await prepare({ build: true });
  ready = true;
  return 0;
});

console.log = log;
if (ready) {
  process.argv[1] = main;
  process.setSourceMapsEnabled(true);
  Module.runMain();
}
