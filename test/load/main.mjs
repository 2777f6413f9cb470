// npm run load: a mixed day at a rate that does not wait for answers. Options: see options.mjs, or --help.
import { audit } from './audit.mjs';
import { Ledger } from './ledger.mjs';
import { BadOptions, NoLoad, readOptions, usage } from './options.mjs';
import { finished, holdRate } from './phase.mjs';
import { comeFirst } from './priority.mjs';
import { overload } from './overload.mjs';
import { findBearableRate } from './ramp.mjs';
import { rampReport, rateReport, overloadReport } from './report.mjs';
import { auditStores } from './store-audit.mjs';
import { openTarget } from './target.mjs';

const print = (line) => console.log(line);
const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stopping.abort());

/** @returns {Promise<number>} the exit code: 0 if nothing failed and the audit found nothing */
async function main(options) {
  if (options.help) {
    print(usage);
    return 0;
  }
  const target = await openTarget(options);
  if (!comeFirst()) print('(not root: the load has no priority over what it measures)');
  const ledger = new Ledger();
  const load = { target, ledger, everySeconds: options.everySeconds, print, signal: stopping.signal };
  try {
    const { report, isGood } = await modes[options.mode](load, options);
    print('\naudit ...');
    const findings = await audit(ledger);
    if (target.stores !== null) findings.push(...(await auditStores(target.stores, ledger)));
    print(`\n${report}\n${verdictOn(ledger, findings)}`);
    return isGood && findings.length === 0 ? 0 : 1;
  } finally {
    await target.stop();
  }
}

const modes = {
  async rate(load, { rate, seconds }) {
    return rateReport(await finished(await holdRate({ name: `${rate} a second`, rate, seconds }, load)));
  },
  async percent(load, { percent, seconds, bears: known }) {
    const bears = known ?? (await findBearableRate(load)).bears;
    const rate = (bears * percent) / 100;
    load.print(`\nit bears ${bears.toFixed(0)} operations a second; now ${rate.toFixed(0)} for ${seconds} s`);
    return rateReport(await finished(await holdRate({ name: `${percent} % of what it bears`, rate, seconds }, load)));
  },
  async ramp(load) {
    return rampReport(await findBearableRate(load));
  },
  async overload(load, { seconds, bears: known }) {
    const bears = known ?? (await findBearableRate(load)).bears;
    return overloadReport(bears, await overload(load, bears, seconds));
  },
};

function verdictOn({ conversations, automations }, findings) {
  const of = `${conversations.size} conversations and ${automations.length} automations`;
  if (findings.length === 0) return `Audit of ${of}: everything that was acknowledged is done, once.`;
  return `Audit of ${of}: ${findings.length} findings\n${findings.slice(0, 20).join('\n')}`;
}

try {
  process.exitCode = await main(readOptions(process.argv.slice(2)));
} catch (error) {
  if (error instanceof BadOptions) console.error(`${error.message}\n\n${usage}`);
  else console.error(error instanceof NoLoad ? error.message : error);
  process.exitCode = error instanceof BadOptions ? 2 : 1;
}
