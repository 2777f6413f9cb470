import 'reflect-metadata';
import { readProcessConfiguration, runProcess, startWorking } from '@app/composition';

/** A worker process: projections, reactors, run execution and timers. Needs DATABASE_URL, EVENTSTORE_URL and PARLEY_SECRET_KEY. */
runProcess(() => startWorking(readProcessConfiguration()));
