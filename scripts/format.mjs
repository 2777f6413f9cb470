// npm run format: rewrites every file that the format check covers.
import './node-version.mjs';
import { writeFormat } from './checks.mjs';
import { prepare } from './prepare.mjs';
import { runScript } from './tool.mjs';

await runScript(async () => {
  await prepare({ build: false });
  const { exitCode, output } = await writeFormat();
  if (output) console.log(output.trimEnd());
  return exitCode;
});
