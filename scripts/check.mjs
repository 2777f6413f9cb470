// npm run check: every check that needs no service, each with one line; all run even when one fails.
import './node-version.mjs';
import { runChecks, staticChecks, unitCheck } from './checks.mjs';
import { prepare } from './prepare.mjs';
import { runScript } from './tool.mjs';

await runScript(async () => {
  await prepare({ build: true }); // the example's types are those of the built client
  const { failed } = await runChecks([...staticChecks, unitCheck]);
  return failed === 0 ? 0 : 1;
});
