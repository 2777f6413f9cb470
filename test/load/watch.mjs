// Samples a running rate every second, and shows it every few seconds.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { refusalsLine, tableOf, usageLine } from './tables.mjs';
import { coresBetween, usageOf } from './usage.mjs';

const sampleMs = 1_000;

/**
 * Prints a table every few seconds and records the deployment's memory and CPU.
 * @returns {{stop: () => {samples: object[], cores: Map<string, number>}}}
 */
export function watch({ recorder, pids, everySeconds, print }) {
  const startedMs = performance.now();
  const first = usageOf(pids);
  const samples = [];
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  let [shownMs, shownUsage] = [startedMs, first];
  const show = (usage) => {
    const nowMs = performance.now();
    const seconds = (nowMs - shownMs) / 1000;
    const at = ((nowMs - startedMs) / 1000).toFixed(0);
    const own = `the load itself was late by ${(delay.mean / 1e6 - 10).toFixed(1)} ms`;
    print(`\nafter ${at} s, ${recorder.inFlight} in flight, ${own}\n${tableOf(recorder.recentFigures(), seconds)}`);
    print([refusalsLine(recorder.refusals), usageLine(usage, coresBetween(shownUsage, usage, seconds))].join('\n'));
    for (const failure of recorder.failures) print(`  ${failure}`);
    [shownMs, shownUsage] = [nowMs, usage];
    delay.reset();
  };
  const timer = setInterval(() => {
    const usage = usageOf(pids);
    samples.push({
      atSeconds: (performance.now() - startedMs) / 1000,
      mibs: new Map([...usage].map(([name, { mib }]) => [name, mib])),
    });
    if (performance.now() - shownMs >= everySeconds * 1000 - sampleMs / 2) show(usage);
  }, sampleMs);
  return {
    stop: () => {
      clearInterval(timer);
      delay.disable();
      return { samples, cores: coresBetween(first, usageOf(pids), (performance.now() - startedMs) / 1000) };
    },
  };
}

/**
 * Memory of each group of processes in the first minute and in the last, in MiB; for a short load, in its first and
 * last fifth.
 */
export function memoryGrowth(samples) {
  const lastSeconds = samples.at(-1)?.atSeconds ?? 0;
  const span = Math.min(60, lastSeconds / 5);
  const mean = (name, part) =>
    part.reduce((sum, { mibs }) => sum + (mibs.get(name) ?? 0), 0) / Math.max(1, part.length);
  const early = samples.filter(({ atSeconds }) => atSeconds <= span + sampleMs / 1000);
  const late = samples.filter(({ atSeconds }) => atSeconds >= lastSeconds - span);
  const names = [...(samples.at(-1)?.mibs.keys() ?? [])].filter((name) => name !== 'others');
  return names.map((name) => ({ name, firstMib: mean(name, early), lastMib: mean(name, late) }));
}
