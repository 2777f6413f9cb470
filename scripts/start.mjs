// npm start: refuses arguments, installs and builds what is missing or stale, then becomes Parley (standalone, sandbox mode).
import './node-version.mjs';
import { checkArguments } from './arguments.mjs';
import { prepare } from './prepare.mjs';
import { become } from './tool.mjs';

const usage = `npm start: installs and builds what is missing or stale, then starts all of Parley on this machine, until Ctrl-C

It takes no arguments. These variables matter first; docs/configuration.md has all of them:
  PARLEY_DATA_DIR   the folder of its stores (.parley)
  PORT              where partners call it (8080)
  MANAGEMENT_PORT   where /metrics, /healthz and /readyz are (9464)
  PARLEY_MODE       sandbox (play money, a built-in issuer) or production (sandbox)

The command line: npm run -s parley -- --help`;
checkArguments(usage, ([argument]) => {
  if (argument !== undefined) throw new Error(`there is no argument ${argument}`);
});

if (process.versions.node.startsWith('20.')) {
  console.error('Node 20 gets no fixes any more: Parley runs on it, and Node 24, the present LTS, is what to use.');
}

await become('standalone', () => prepare({ build: true }));
