// The output: a table every few seconds, and Markdown at the end.
import { totalOf } from './recorder.mjs';

const head = ['operation', 'done', 'a second', 'p50 ms', 'p90 ms', 'p99 ms', 'max ms', 'refused', 'failed'];

/** A Markdown table with aligned columns, so that a terminal can show it as well. */
export function markdown([first, ...rows]) {
  const widths = first.map((_, column) => Math.max(...[first, ...rows].map((cells) => cells[column].length)));
  const line = (cells) =>
    `| ${cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[column]) : cell.padStart(widths[column]))).join(' | ')} |`;
  const rule = `| ${widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)).join(' | ')} |`;
  return [line(first), rule, ...rows.map(line)].join('\n');
}

/** One row for each kind of operation. */
export function tableOf(figures, seconds) {
  return markdown([head, ...figures.map((one) => rowOf(one, seconds))]);
}

function rowOf({ kind, done, refused, failed, p50, p90, p99, max }, seconds) {
  const shown = done === 0 ? ['–', '–', '–', '–'] : [p50, p90, p99, max].map(milliseconds);
  return [kind, String(done), (done / seconds).toFixed(1), ...shown, String(refused), String(failed)];
}

export const milliseconds = (value) => (value >= 100 ? value.toFixed(0) : value.toPrecision(3));

/** The number of each refusal, in one line. */
export function refusalsLine(refusals) {
  const parts = [...refusals].sort(([, one], [, other]) => other - one).map(([what, count]) => `${what} ${count}×`);
  return parts.length === 0 ? 'nothing was refused' : `refused: ${parts.join(', ')}`;
}

/** Memory and CPU of the deployment, in one line. */
export function usageLine(usage, cores) {
  const parts = [...usage]
    .filter(([name]) => name !== 'others')
    .map(([name, { mib }]) => `${name} ${mib.toFixed(0)} MiB ${(cores.get(name) ?? 0).toFixed(2)} cores`);
  return parts.length === 0 ? '' : parts.join(' · ');
}

/** A comparison of several rates: a row with all operations of each. */
export function comparison(phases) {
  const columns = ['rate', 'arrived a second', 'done a second', 'p50 ms', 'p99 ms', 'max ms', 'refused', 'failed'];
  const rows = phases.map(({ name, figures, seconds }) => {
    const { arrived, done, refused, failed, p50, p99, max } = totalOf(figures);
    const perSecond = (count) => (count / seconds).toFixed(1);
    return [
      name,
      perSecond(arrived),
      perSecond(done),
      ...[p50, p99, max].map(milliseconds),
      String(refused),
      String(failed),
    ];
  });
  return markdown([columns, ...rows]);
}
