import type { Configuration } from '@app/settings';

/** Production uses nothing of a sandbox but its stores, and warns about those (docs/decisions/configuration-and-start.md). */
export function warnOfEmbeddedStores({ env, sandbox }: Configuration, log: (line: string) => void): void {
  if (sandbox) return;
  if (env.DATABASE_URL === undefined)
    log('warning: the embedded PostgreSQL runs on this machine alone; DATABASE_URL names another');
  if (env.EVENTSTORE_URL === undefined)
    log('warning: the embedded event store runs on this machine alone; EVENTSTORE_URL names another');
}
