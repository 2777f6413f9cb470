// npm start: refuses arguments, installs and builds what is missing or stale, then becomes Parley (standalone, sandbox mode).
import './node-version.mjs';
import { existsSync } from 'node:fs';
import { Module } from 'node:module';
import path from 'node:path';
import { takeNoArguments } from './arguments.mjs';
import { prepare } from './prepare.mjs';
import { StepFailed, root, runScript } from './tool.mjs';

const usage = `npm start: installs and builds what is missing or stale, then starts all of Parley on this machine, until Ctrl-C

It takes no arguments. These variables matter first; docs/configuration.md has all of them:
  PARLEY_DATA_DIR   the folder of its stores (.parley)
  PORT              where partners call it (8080)
  MANAGEMENT_PORT   where /metrics, /healthz and /readyz are (9464)
  PARLEY_MODE       sandbox (play money, a built-in issuer) or production (sandbox)

The command line: npm run -s parley -- --help`;
takeNoArguments(usage);

const main = path.join(root, 'dist', 'apps', 'standalone', 'src', 'main.js');
let ready = false;

if (process.versions.node.startsWith('20.')) {
  console.error('Node 20 gets no fixes any more: Parley runs on it, and Node 24, the present LTS, is what to use.');
}

await runScript(async () => {
  await prepare({ build: true });
  if (!existsSync(main)) throw new StepFailed(`the build made no ${path.relative(root, main)}`, '');
  ready = true;
  return 0;
});

// The service runs in this very process: a signal reaches it, its exit code is ours, and kill -9 leaves no parent and no orphan.
if (ready) {
  process.argv[1] = main;
  process.setSourceMapsEnabled(true);
  Module.runMain();
}
