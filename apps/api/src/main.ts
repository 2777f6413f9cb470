import 'reflect-metadata';
import { readProcessConfiguration, runProcess, startPatiently, startServing } from '@app/composition';

/** An api process: HTTP and SSE. Needs DATABASE_URL, EVENTSTORE_URL and PARLEY_SECRET_KEY; waits for unavailable stores. */
runProcess((interrupted) => {
  const configuration = readProcessConfiguration();
  const roles = { api: true, worker: false };
  return startPatiently({ configuration, serves: true, interrupted }, (issuers) =>
    startServing(configuration, roles, { issuers }),
  );
});
