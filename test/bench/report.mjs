// The results of a run, for people and for files.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { median } from './measuring.mjs';

/**
 * One row for each figure of a benchmark. The ratio is the median of the rounds' ratios, because both sides of a round
 * met the same machine. A figure that this system cannot measure has none.
 * @param {{ours: object[], baseline: object[]}} turns
 */
export function rowsOf(benchmark, turns) {
  return benchmark.figures.map((figure) => {
    const { number, name, against } = benchmark;
    const row = { number, name, against, ...figure };
    const ours = turns.ours.map((turn) => turn[figure.key]);
    const baseline = turns.baseline.map((turn) => turn[figure.key]);
    if ([...ours, ...baseline].includes(undefined)) return { ...row, verdict: 'not measured here' };
    const ratios = ours.map((value, round) => value / baseline[round]);
    const [ourMedian, baselineMedian, ratio] = [ours, baseline, ratios].map(median);
    return {
      ...row,
      verdict: verdictOn(figure.absolute ? ourMedian : ratio, figure),
      ours: ourMedian,
      baseline: baselineMedian,
      ratio,
      ...(figure.key === 'cpuMs' && { parts: { ours: partsOf(turns.ours), baseline: partsOf(turns.baseline) } }),
      rounds: { ours, baseline, ratios },
    };
  });
}

function partsOf(turns) {
  const names = Object.keys(turns[0].cpuParts);
  return Object.fromEntries(names.map((name) => [name, median(turns.map(({ cpuParts }) => cpuParts[name]))]));
}

function verdictOn(value, { better, aim, floor }) {
  if (aim === undefined) return 'no aim';
  const holds = (bound) => (better === 'more' ? value >= bound : value <= bound);
  if (holds(aim)) return 'aim met';
  return floor !== undefined && holds(floor) ? 'floor held' : 'missed';
}

/** A Markdown table with aligned columns, so that a terminal can show it as well. */
export function tableOf(rows) {
  const head = ['#', 'ours', 'baseline', 'ours', 'baseline', 'unit', 'ratio', 'aim', 'floor', 'verdict'];
  const body = rows.map((row) => [
    String(row.number),
    row.name,
    row.against,
    shown(row.ours),
    shown(row.baseline),
    /^p\d+/.test(row.key) ? `${row.unit} (${row.key.match(/^p\d+/)[0]})` : row.unit,
    shown(row.ratio, (ratio) => ratio.toFixed(2)),
    bound(row, row.aim),
    bound(row, row.floor),
    row.verdict,
  ]);
  const widths = head.map((_, column) => Math.max(...[head, ...body].map((cells) => cells[column].length)));
  const line = (cells) => `| ${cells.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n');
}

const threeDigits = (value) => (value >= 100 ? Math.round(value).toLocaleString('en-US') : value.toPrecision(3));

function shown(value, written = threeDigits) {
  return value === undefined ? '–' : written(value);
}

function bound({ better }, value) {
  return value === undefined ? '–' : `${better === 'more' ? '≥' : '≤'} ${value}`;
}

/** The CPU of benchmark 17 by process, a line for each of its figures with both sides. */
export function cpuPartsOf(rows) {
  const line = (parts) =>
    Object.entries(parts)
      .map(([name, ms]) => `${name} ${threeDigits(ms)}`)
      .join(' + ');
  return rows
    .filter(({ parts }) => parts !== undefined)
    .map(({ name, parts, against }) => `- ${name}, ms: ${line(parts.ours)}; ${against}: ${line(parts.baseline)}`)
    .join('\n');
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
  writeFileSync(path.join(folder, 'latest.md'), `${tableOf(rows)}\n\n${cpuPartsOf(rows)}\n\n${about}\n`);
}
