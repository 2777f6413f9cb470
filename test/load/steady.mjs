// Requests at a steady rate, recorded by what happens in the deployment meanwhile.
import { setTimeout as sleep } from 'node:timers/promises';
import { Refused } from './client.mjs';
import { Recorder } from './recorder.mjs';

const samplesMax = 10;
/**
 * The largest number of requests in flight. While the service is further behind, a new request counts as failed and is
 * not sent.
 */
const inFlightMax = 5_000;
const tooMany = new Error(`${inFlightMax} requests wait for their answers`);

/** The requests of one stretch of time. */
class Stretch {
  recorder = new Recorder();
  /** Answers older than what the same user had been shown before. */
  older = [];
}

/**
 * Requests that arrive at random at a rate and wait for no other. Each is timed from the instant at which it was due.
 */
export class SteadyRequests {
  stretches = new Map();
  underWay = new Set();
  stopped = false;
  /** The number of kills so far; `isKilling` is true while one is in progress. */
  kills = 0;
  isKilling = false;

  constructor(callers, rate) {
    this.callers = callers;
    this.rate = rate;
    this.enter('warm-up');
    this.running = this.run();
    this.running.catch(() => undefined); // `stop` reports a failure
  }

  /** From now on requests count towards this stretch; those that overlap with a kill count towards `kills`. */
  enter(name) {
    this.name = name;
  }

  of(name) {
    const stretch = this.stretches.get(name) ?? new Stretch();
    this.stretches.set(name, stretch);
    return stretch;
  }

  /** Runs `body`, which kills something and resolves once its replacement is ready. */
  async killing(body) {
    this.kills += 1;
    this.isKilling = true;
    try {
      await body();
    } finally {
      this.isKilling = false;
    }
  }

  async stop() {
    this.stopped = true;
    await this.running;
    await Promise.all(this.underWay);
  }

  async run() {
    let dueAtMs = performance.now();
    while (!this.stopped) {
      dueAtMs += (-Math.log(1 - Math.random()) * 1000) / this.rate;
      const waitMs = dueAtMs - performance.now();
      if (waitMs > 0) await sleep(waitMs);
      const request = this.one(dueAtMs);
      this.underWay.add(request);
      void request.finally(() => this.underWay.delete(request));
    }
  }

  async one(dueAtMs) {
    const { name, kills, isKilling } = this;
    const caller = this.callers[Math.floor(Math.random() * this.callers.length)];
    const picked = caller.pick();
    const isSent = this.underWay.size < inFlightMax;
    const answer = isSent ? await caller.ask(picked).catch((error) => error) : tooMany;
    const stretch = this.of(isKilling || this.kills > kills ? 'kills' : name);
    const { recorder, older } = stretch;
    recorder.arrived(picked.kind);
    if (answer instanceof Refused) {
      recorder.sawRefusal(answer);
      return recorder.refused(picked.kind);
    }
    if (answer instanceof Error) return recorder.failed(picked.kind, answer);
    if (older.length < samplesMax) older.push(...answer);
    return recorder.done(picked.kind, performance.now() - dueAtMs);
  }
}
