#!/usr/bin/env node
// npm run parley -- …: installs and builds what is missing or stale, then becomes the command line. Output of the preparation goes to
// stderr.
import './node-version.mjs';
import { prepare } from './prepare.mjs';
import { become, sayOn } from './tool.mjs';

sayOn(process.stderr); // stdout is for results
await become('cli', () => prepare({ build: true }));
