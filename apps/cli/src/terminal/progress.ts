import { Presets, SingleBar } from 'cli-progress';
import { note, noteStream } from './output';

const lineEveryMs = 5_000;

/**
 * Shows the progress of a long step, on stderr: as a bar on a terminal, as a line every few seconds elsewhere.
 * @param total the final count; null when unknown
 * @param what the things counted
 * @returns a function that takes the count done, and the total if it has changed
 */
export function showProgress(
  step: string,
  total: number | null,
  what = 'events',
): (done: number, movedTotal?: number) => void {
  const startedMs = performance.now();
  const rate = (done: number): string =>
    Math.round((done / Math.max(performance.now() - startedMs, 1)) * 1000).toString();
  if (noteStream.isTTY && total !== null && total > 0) {
    const format = `${step} [{bar}] {value} of {total} ${what}, {perSecond} a second`;
    const bar = new SingleBar({ format, stream: noteStream, hideCursor: true, stopOnComplete: true }, Presets.legacy);
    bar.start(total, 0, { perSecond: '0' });
    return (done, movedTotal = total) => {
      bar.setTotal(movedTotal);
      bar.update(done, { perSecond: rate(done) });
    };
  }
  let nextMs = startedMs + lineEveryMs;
  return (done, movedTotal) => {
    const end = movedTotal ?? total;
    if (performance.now() < nextMs && done !== end) return;
    nextMs = performance.now() + lineEveryMs;
    const of = end === null ? '' : ` of ${end}`;
    note(`${step}: ${done}${of} ${what}, ${rate(done)} a second`);
  };
}
