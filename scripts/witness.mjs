// npm run witness -- …: installs and builds what is missing or stale, then becomes a witness (docs/witness.md).
import './node-version.mjs';
import { prepare } from './prepare.mjs';
import { become, sayOn } from './tool.mjs';

sayOn(process.stderr); // stdout is for the witness's own lines
await become('witness', () => prepare({ build: true }));
