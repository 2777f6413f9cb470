import 'reflect-metadata';
import { readProcessConfiguration, runProcess, startServing } from '@app/composition';

/** An api process: HTTP and SSE. Needs DATABASE_URL, EVENTSTORE_URL and PARLEY_SECRET_KEY. */
runProcess(() => startServing(readProcessConfiguration(), { api: true, worker: false }));
