// The results of a load: Markdown for docs/performance.md, and a verdict.
import { cpus } from 'node:os';
import { totalOf } from './recorder.mjs';
import { comparison, markdown, milliseconds, refusalsLine, tableOf } from './tables.mjs';
import { memoryGrowth } from './watch.mjs';

/** The largest factor by which an accepted operation may be slower in an overload than at 80 %. */
const slowdownMax = 3;
/** Memory whose growth is within the larger of these two is flat. */
const flatMib = 64;
const flatShare = 0.2;
/** Growth while a process warms up says nothing, so shorter runs are not judged. */
const judgesMemoryAfterSeconds = 300;

/** The report of one held rate. */
export function rateReport({ name, rate, seconds, figures, refusals, failures, samples, cores }) {
  const { arrived, failed } = totalOf(figures);
  const growth = memoryGrowth(samples);
  const grown = growth.filter(({ firstMib, lastMib }) => lastMib - firstMib > Math.max(flatMib, firstMib * flatShare));
  const isLong = seconds >= judgesMemoryAfterSeconds;
  const memory = grown.length === 0 ? 'memory is flat' : `memory grew: ${grown.map((one) => one.name).join(', ')}`;
  const verdict = [
    `${failed} of ${arrived} operations failed, ${refusalsLine(refusals)}`,
    isLong ? memory : `too short to judge memory, which takes ${judgesMemoryAfterSeconds} s`,
  ];
  const report = [
    heading(`${name}: ${rate.toFixed(0)} operations a second for ${seconds} s`),
    tableOf(figures, seconds),
    '',
    ...growth.map((one) => growthLine(one, cores)),
    `Verdict: ${verdict.join('; ')}.`,
    ...failures.map((failure) => `- ${failure}`),
  ];
  return { report: report.join('\n'), isGood: failed === 0 && !(isLong && grown.length > 0) };
}

const growthLine = ({ name, firstMib, lastMib }, cores) =>
  `- ${name}: ${firstMib.toFixed(0)} MiB in the first minute, ${lastMib.toFixed(0)} MiB in the last; ${(cores.get(name) ?? 0).toFixed(2)} cores`;

/** The report of a ramp. */
export function rampReport({ bears, steps }) {
  const firstRefusing = steps
    .filter(({ refusals }) => refusals.size > 0)
    .sort((one, other) => one.rate - other.rate)[0];
  const refuses =
    firstRefusing === undefined
      ? 'It refused nothing.'
      : `It begins to refuse at ${firstRefusing.rate.toFixed(0)}: ${refusalsLine(firstRefusing.refusals)}.`;
  const rows = [...steps].sort((one, other) => one.rate - other.rate);
  const report = [
    heading('What the machine bears'),
    comparison(rows),
    '',
    `It bears ${bears.toFixed(0)} operations a second. ${refuses}`,
    ...rows.flatMap(({ failures }) => failures.map((failure) => `- ${failure}`)),
  ];
  return { report: report.join('\n'), isGood: bears > 0 };
}

/** The report of an overload between two calm phases. */
export function overloadReport(bears, { calm, over, after }) {
  const phases = [calm, over, after];
  const failed = phases.reduce((sum, { figures }) => sum + totalOf(figures).failed, 0);
  const { table, slowest } = slowdown(calm.figures, over.figures);
  const isBounded = slowest <= slowdownMax;
  const report = [
    heading(`Overload: the machine bears ${bears.toFixed(0)} operations a second`),
    comparison(phases),
    '',
    table,
    '',
    `At 200 % ${refusalsLine(over.refusals)}.`,
    `Verdict: ${failed} operations failed; what was accepted took at most ${slowest.toFixed(1)} times as long as at 80 %, ` +
      `${isBounded ? 'within' : 'more than'} ${slowdownMax} times.`,
    ...phases.flatMap(({ failures }) => failures.map((failure) => `- ${failure}`)),
  ];
  return { report: report.join('\n'), isGood: failed === 0 && isBounded };
}

/** The operations accepted at 200 % next to the same kind at 80 %, and the largest of the ratios. */
function slowdown(calm, over) {
  const head = ['operation', 'p50 ms at 80 %', 'at 200 %', 'times', 'p99 ms at 80 %', 'at 200 %', 'times'];
  let slowest = 0;
  const rows = over.map((pressed) => {
    const quiet = calm.find(({ kind }) => kind === pressed.kind) ?? pressed;
    const cells = ['p50', 'p99'].flatMap((percentile) => {
      const times = pressed[percentile] / quiet[percentile];
      slowest = Math.max(slowest, times);
      return [milliseconds(quiet[percentile]), milliseconds(pressed[percentile]), times.toFixed(1)];
    });
    return [pressed.kind, ...cells];
  });
  return { table: markdown([head, ...rows]), slowest };
}

function heading(text) {
  const [first, ...others] = cpus();
  return `**${text}** (${first.model.trim()}, ${others.length + 1} cores, Node ${process.version}, ${new Date().toISOString().slice(0, 10)})\n`;
}
