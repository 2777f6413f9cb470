// Runs quicktype once for each argument, which is its own arguments as a JSON list: to load it takes most of a run.
const { main } = require('quicktype');

void (async () => {
  for (const args of process.argv.slice(2)) await main(JSON.parse(args));
})();
