import { Logger } from '@nestjs/common';
import { readStore } from '@app/composition';
import { connectEventStore, EventStore } from '@app/event-store';
import { ProjectionRunner, type Database } from '@app/read-store';
import { Probe } from '@app/runtime';
import { setTimeout as sleep } from 'node:timers/promises';
import { CommandFailed } from '../terminal/outcome';
import { showProgress } from '../terminal/progress';

const lookEveryMs = 50;
/** A projector without progress for this long is stuck. */
const stuckAfterMs = 60_000;

/**
 * Fills the read models from the event store up to a position, as a worker would, so that the service starts with full lists. If
 * interrupted, the next call, or the workers, continue it. @throws CommandFailed when it makes no progress
 */
export async function fillReadModels(database: Database, eventStoreUrl: string, upTo: number): Promise<void> {
  // A worker's log is not part of this command's output.
  Logger.overrideLogger(false);
  const store = new EventStore(connectEventStore(eventStoreUrl, 'catch-ups'));
  const runner = new ProjectionRunner(database, store, readStore.projections, { probe: new Probe() });
  const onDone = showProgress('filling read models', upTo, 'positions');
  runner.start();
  try {
    let [reached, movedAtMs] = [-1, performance.now()];
    while (reached < upTo) {
      await sleep(lookEveryMs);
      const now = runner.positions.size === 0 ? -1 : Math.min(...runner.positions.values());
      if (now > reached) {
        [reached, movedAtMs] = [now, performance.now()];
        onDone(Math.min(now, upTo));
      } else if (performance.now() - movedAtMs > stuckAfterMs)
        throw new CommandFailed(
          'the switch is done, and the read models are not filled yet: run it again, or start a worker',
        );
    }
  } finally {
    await runner.stop();
    await store.dispose();
  }
}
