// The conformance suite of the MCP project (test/conformance): installs it if it is missing, and runs it with the arguments given, on this
// Node or, if that is too old for it, on the newest LTS.
import './node-version.mjs';
import path from 'node:path';
import { newestLts } from './newest-lts.mjs';
import { prepareFolder } from './prepare.mjs';
import { root, runScript, runTool } from './tool.mjs';

const folder = path.join(root, 'test', 'conformance');
const suite = path.join(folder, 'node_modules', '@modelcontextprotocol', 'conformance', 'dist', 'index.js');
/** The suite does not declare it, but imports features that Node has had since this version. */
const nodeMin = 22;

await runScript(async () => {
  await prepareFolder(folder);
  const isNewEnough = Number(process.versions.node.split('.')[0]) >= nodeMin;
  const node = isNewEnough ? process.execPath : path.join(await newestLts(), 'node');
  const { exitCode } = await runTool(node, [suite, ...process.argv.slice(2)], { inherit: true });
  return exitCode;
});
