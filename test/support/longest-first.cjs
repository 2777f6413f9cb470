// The order of the suites. Jest's own order uses the last durations, which a fresh clone does not have.
const path = require('node:path');
const { default: Sequencer } = require('@jest/test-sequencer');

const root = path.dirname(path.dirname(__dirname));

/** Suites that start processes of their own or wait long; at the end, one of them would keep a single worker busy. The longest first. */
const long = [
  /^test.generators.generators/,
  /^test.deployment.(rolling-restart|cli|newcomer)/,
  /^test.silent.(stores|submissions)/,
  /^libs.stores.event-store-server.test.(bad-weather|silent-storage)/,
  /^test.(crash|injection|stalls|browser)./,
  /^test./,
  /^libs.*.test./,
];

module.exports = class LongestFirst extends Sequencer {
  sort(tests) {
    const placeOf = (test) =>
      long.findIndex((pattern) => pattern.test(path.relative(root, test.path))) + 1 || long.length + 1;
    return [...super.sort(tests)].sort((one, other) => placeOf(one) - placeOf(other));
  }
};
