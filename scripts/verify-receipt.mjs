// npm run verify-receipt -- receipt.json (or - for standard input): says whether the answer of approvals.receipt proves what it says.
// Needs nothing but the file and this build. Exit code 0: it does; 1: it does not, with every reason; 2: there was nothing to verify.
import './node-version.mjs';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { prepare } from './prepare.mjs';
import { runScript } from './tool.mjs';

await runScript(async () => {
  const [file, ...more] = process.argv.slice(2);
  if (file === undefined || more.length > 0) return cannot('usage: npm run verify-receipt -- <file>');
  let document;
  try {
    document = JSON.parse(readFileSync(file === '-' ? 0 : file, 'utf8'));
  } catch (error) {
    return cannot(`${file} cannot be read: ${error.message}`);
  }
  await prepare({ build: true });
  const require = createRequire(import.meta.url);
  const { verifyReceipt } = require('../dist/libs/product/approvals/src/receipt-verifier.js');
  const problems = verifyReceipt(document);
  for (const { path, message } of problems) console.error(`${path === '' ? 'the document' : path} ${message}`);
  if (problems.length > 0) return 1;
  const { approval, events } = document;
  console.log(`The receipt holds: approval ${approval.id} is ${approval.status}, by ${events.length} events.`);
  if (document.proof === null) console.log('It carries no proof that these events are in the log.');
  return 0;
});

function cannot(message) {
  console.error(message);
  return 2;
}
