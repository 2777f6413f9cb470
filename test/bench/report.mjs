// What a run found out, for people and for files.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { median } from './measuring.mjs';

/**
 * One row for each figure of a benchmark. The ratio is the median of the rounds' ratios: both sides of a round met the same machine.
 * @param {{ours: object[], baseline: object[]}} turns
 */
export function rowsOf(benchmark, turns) {
  return benchmark.figures.map((figure) => {
    const ours = turns.ours.map((turn) => turn[figure.key]);
    const baseline = turns.baseline.map((turn) => turn[figure.key]);
    const ratios = ours.map((value, round) => value / baseline[round]);
    const ratio = median(ratios);
    const { number, name, against } = benchmark;
    const judged = figure.absolute ? median(ours) : ratio;
    return {
      number,
      name,
      against,
      ...figure,
      verdict: verdictOn(judged, figure),
      ours: median(ours),
      baseline: median(baseline),
      ratio,
      rounds: { ours, baseline, ratios },
    };
  });
}

function verdictOn(ratio, { better, aim, floor }) {
  const holds = (bound) => (better === 'more' ? ratio >= bound : ratio <= bound);
  if (holds(aim)) return 'aim met';
  return floor !== null && holds(floor) ? 'floor held' : 'missed';
}

/** A Markdown table that is aligned, so that a terminal can show it as well. */
export function tableOf(rows) {
  const head = ['#', 'ours', 'baseline', 'ours', 'baseline', 'unit', 'ratio', 'aim', 'floor', 'verdict'];
  const body = rows.map((row) => [
    String(row.number),
    row.name,
    row.against,
    shown(row.ours),
    shown(row.baseline),
    /^p\d+/.test(row.key) ? `${row.unit} (${row.key.match(/^p\d+/)[0]})` : row.unit,
    row.ratio.toFixed(2),
    bound(row, row.aim),
    bound(row, row.floor),
    row.verdict,
  ]);
  const widths = head.map((_, column) => Math.max(...[head, ...body].map((cells) => cells[column].length)));
  const line = (cells) => `| ${cells.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n');
}

function shown(value) {
  return value >= 100 ? Math.round(value).toLocaleString('en-US') : value.toPrecision(3);
}

function bound({ better }, value) {
  return value === null ? '–' : `${better === 'more' ? '≥' : '≤'} ${value}`;
}

/** Writes `<date>.json` with every round, and `latest.md` with the table. */
export function writeReport(folder, { machine, rows }) {
  mkdirSync(folder, { recursive: true });
  const at = machine.at.slice(0, 16).replace(':', '');
  writeFileSync(path.join(folder, `${at}.json`), `${JSON.stringify({ machine, rows }, null, 2)}\n`);
  const { node, cpu, cores, commit, rounds, load } = machine;
  const about =
    `Measured ${machine.at.slice(0, 10)} at ${commit}: ${cpu}, ${cores} cores (load ${load.toFixed(1)}), Node ${node}; medians of ${rounds} rounds, ` +
    'each side in turn; the ratio is the median of the ratios of the rounds.';
  writeFileSync(path.join(folder, 'latest.md'), `${tableOf(rows)}\n\n${about}\n`);
}
