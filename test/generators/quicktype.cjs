// Runs quicktype once for each argument, which is a JSON list of its arguments, in one process, because loading it takes most of a run.
const { main } = require('quicktype');

void (async () => {
  for (const args of process.argv.slice(2)) await main(JSON.parse(args));
})();
