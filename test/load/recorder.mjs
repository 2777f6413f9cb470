// The outcomes of the operations of one rate, by their kind.
import { build } from 'hdr-histogram-js';

/** Microseconds with three significant digits, up to ten minutes. */
const histogram = () => build({ highestTrackableValue: 600_000_000, numberOfSignificantValueDigits: 3 });
const samplesMax = 10;

/** The counts and latencies of one kind of operation. */
class Tally {
  arrived = 0;
  done = 0;
  refused = 0;
  failed = 0;
  latency = histogram();

  /**
   * @returns {{arrived: number, done: number, refused: number, failed: number, p50: number, p90: number, p99: number,
   * max: number}} latencies in milliseconds
   */
  figures() {
    const { arrived, done, refused, failed, latency } = this;
    const at = (percentile) => latency.getValueAtPercentile(percentile) / 1000;
    return { arrived, done, refused, failed, p50: at(50), p90: at(90), p99: at(99), max: latency.maxValue / 1000 };
  }

  /** The share of completed operations that took longer, in steps of a thousandth. */
  slowerThan(ms) {
    for (let part = 0; part <= 1_000; part += 1)
      if (this.latency.getValueAtPercentile(part / 10) > ms * 1000) return 1 - part / 1_000;
    return 0;
  }
}

/** The figures of one rate: as a whole, and since the last call of `recentFigures`. */
export class Recorder {
  /** The number of refusals by status and reason. */
  refusals = new Map();
  /** The first failures, in words. */
  failures = [];
  whole = new Map();
  recent = new Map();
  inFlight = 0;

  arrived(kind) {
    this.inFlight += 1;
    for (const tally of this.tallies(kind)) tally.arrived += 1;
  }

  /** Records an operation that completed without a refusal. */
  done(kind, ms) {
    this.inFlight -= 1;
    for (const tally of this.tallies(kind)) {
      tally.done += 1;
      tally.latency.recordValue(Math.max(1, Math.round(ms * 1000)));
    }
  }

  /** Records an operation that met a refusal, whether it was retried or given up. */
  refused(kind) {
    this.inFlight -= 1;
    for (const tally of this.tallies(kind)) tally.refused += 1;
  }

  failed(kind, error) {
    this.inFlight -= 1;
    if (this.failures.length < samplesMax) this.failures.push(`${kind}: ${error.message}`);
    for (const tally of this.tallies(kind)) tally.failed += 1;
  }

  /** Records one refused request. */
  sawRefusal({ message }) {
    this.refusals.set(message, (this.refusals.get(message) ?? 0) + 1);
  }

  /**
   * The figures of each kind, and of all together.
   * @returns {{kind: string}[]}
   */
  figures() {
    return figuresOf(this.whole);
  }

  /** The same figures since the last call. */
  recentFigures() {
    const figures = figuresOf(this.recent);
    this.recent = new Map();
    return figures;
  }

  tallies(kind) {
    return [this.whole, this.recent].flatMap((view) => [tallyIn(view, kind), tallyIn(view, all)]);
  }
}

const all = 'all';

function tallyIn(view, kind) {
  const tally = view.get(kind) ?? new Tally();
  view.set(kind, tally);
  return tally;
}

function figuresOf(view) {
  return [...view]
    .map(([kind, tally]) => ({ kind, ...tally.figures() }))
    .sort((one, other) => Number(one.kind === all) - Number(other.kind === all) || one.kind.localeCompare(other.kind));
}

/** The figures of all kinds together. */
export const totalOf = (figures) => figures.find(({ kind }) => kind === all);
