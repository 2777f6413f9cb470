// Requests at a steady rate, told apart by what goes on meanwhile.
import { setTimeout as sleep } from 'node:timers/promises';
import { Refused } from './client.mjs';
import { Recorder } from './recorder.mjs';

const samplesMax = 10;
/** Under way at once; while a service is behind by so many, one more counts as failed and is not sent. */
const inFlightMax = 5_000;
const tooMany = new Error(`${inFlightMax} requests wait for their answers`);

/** The requests of one stretch of time. */
class Stretch {
  recorder = new Recorder();
  /** What was older than what the same user had been shown before. */
  older = [];
}

/** Requests that arrive by chance at a rate and wait for no other; each counts from the instant at which it was due. */
export class SteadyRequests {
  stretches = new Map();
  underWay = new Set();
  stopped = false;
  /** Whether something is being killed now, and how often that began. */
  kills = 0;
  isKilling = false;

  constructor(callers, rate) {
    this.callers = callers;
    this.rate = rate;
    this.enter('warm-up');
    this.running = this.run();
    this.running.catch(() => undefined); // `stop` tells
  }

  /** From now on requests count to this stretch; those that a kill fell into, to `kills`. */
  enter(name) {
    this.name = name;
  }

  of(name) {
    const stretch = this.stretches.get(name) ?? new Stretch();
    this.stretches.set(name, stretch);
    return stretch;
  }

  /** Kills something by the body, which answers once it is back. */
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
