import 'reflect-metadata';
import { readProcessConfiguration, runProcess, startPatiently, startWorking } from '@app/composition';

/**
 * A worker process: projections, reactors, run execution and timers. Needs DATABASE_URL, EVENTSTORE_URL and PARLEY_SECRET_KEY; waits for
 * unavailable stores.
 */
runProcess((interrupted) => {
  const configuration = readProcessConfiguration();
  return startPatiently({ configuration, serves: false, interrupted }, () => startWorking(configuration));
});
