// npm run verify-receipt -- receipt.json --key <vkey> [--witness <vkey> … --needed N] (or - for standard input): what the answer of
// approvals.receipt proves, what it does not, and what is wrong with it. Needs nothing but the file, this build, and the public keys of the
// log (GET /transparency/key, or whoever else knows it) and of witnesses. Without a key it does not see who signed the checkpoint.
// Exit code 0: nothing is wrong, and with a key every event is in the log; 1: not so; 2: there was nothing to verify.
import './node-version.mjs';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { prepare } from './prepare.mjs';
import { runScript } from './tool.mjs';

const usage = 'usage: npm run verify-receipt -- <file> [--key <vkey>] [--witness <vkey> … --needed <count>]';
const options = {
  key: { type: 'string', multiple: true, default: [] },
  witness: { type: 'string', multiple: true, default: [] },
  needed: { type: 'string' },
};

await runScript(async () => {
  const given = readArguments();
  if (given === null) return cannot(usage);
  let document;
  try {
    document = JSON.parse(readFileSync(given.file === '-' ? 0 : given.file, 'utf8'));
  } catch (error) {
    return cannot(`${given.file} cannot be read: ${error.message}`);
  }
  await prepare({ build: true });
  const { trustPolicy, verifyReceipt } = await import('../libs/clients/verify/dist/esm/index.js');
  const policy = policyOf(given, trustPolicy);
  if (typeof policy === 'string') return cannot(policy);
  const report = verifyReceipt(document, policy);
  print(report, document);
  const isInLog = !report.unproven.some(({ aspect }) => aspect === 'inclusion');
  return report.holds && (policy === null || isInLog) ? 0 : 1;
});

function readArguments() {
  try {
    const { values, positionals } = parseArgs({ options, allowPositionals: true });
    const { key, witness, needed } = values;
    const count = needed === undefined ? witness.length : Number(needed);
    const fits =
      Number.isInteger(count) && count >= 0 && count <= witness.length && (key.length > 0 || witness.length === 0);
    return positionals.length === 1 && fits ? { file: positionals[0], key, witness, needed: count } : null;
  } catch {
    return null; // an option that there is none of
  }
}

/** Whom to trust; null for nobody, and a text where a key is none. */
function policyOf({ key, witness, needed }, trustPolicy) {
  try {
    return key.length === 0 ? null : trustPolicy({ log: key, witnesses: witness, needed });
  } catch (error) {
    return error.message;
  }
}

function print({ holds, proven, unproven, problems }, document) {
  for (const { path, stream, revision, message } of problems) {
    const where = stream === null ? '' : ` (event ${revision} of ${stream})`;
    console.error(`${path === '' ? 'the document' : path}${where} ${message}`);
  }
  if (holds) {
    const { approval, events } = document;
    console.log(`The receipt holds: approval ${approval.id} is ${approval.status}, by ${events.length} events.`);
  }
  for (const { text } of proven) console.log(`  proven      ${text}`);
  for (const { text } of unproven) console.log(`  not proven  ${text}`);
}

function cannot(message) {
  console.error(message);
  return 2;
}
