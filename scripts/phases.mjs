// Measures how long each phase of a script takes.

/** Runs phases one after the other, and reports the seconds of each and of all together. */
export class Phases {
  #startedAt = performance.now();
  #seconds = [];

  /** @returns what `work` returns; its seconds count even when it fails */
  async run(name, work) {
    const startedAt = performance.now();
    try {
      return await work();
    } finally {
      this.#seconds.push([name, secondsSince(startedAt)]);
    }
  }

  /** One line: `390 s: installing and building 60 s, checks 80 s, …`. */
  toString() {
    const each = this.#seconds.map(([name, seconds]) => `${name} ${seconds} s`);
    return `${secondsSince(this.#startedAt)} s: ${each.join(', ')}`;
  }
}

const secondsSince = (startedAt) => Math.round((performance.now() - startedAt) / 1000);
