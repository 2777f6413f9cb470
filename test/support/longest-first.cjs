// The order of the suites. Jest's own goes by how long each took the last time, which a fresh clone does not know.
const path = require('node:path');
const { default: Sequencer } = require('@jest/test-sequencer');

const root = path.dirname(path.dirname(__dirname));

/** Suites that start processes of their own or wait long; one of them at the end would keep a single worker busy. The longest stand first. */
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
