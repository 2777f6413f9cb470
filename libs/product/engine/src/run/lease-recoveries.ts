import { Inject, Injectable } from '@nestjs/common';
import { Metrics } from '@app/runtime';
import { Counter } from 'prom-client';
import type { OpenRun } from './claimed-run';

/** Counts segments that are claimed again after a worker began them and did not finish. */
@Injectable()
export class LeaseRecoveries {
  private readonly count: Counter;

  constructor(@Inject(Metrics) metrics: Metrics) {
    this.count = new Counter({
      name: 'parley_lease_recoveries_total',
      help: 'Run segments claimed again, after a worker that died, lost its lease or had to let go',
      registers: [metrics.registry],
    });
  }

  recordClaim({ begun }: OpenRun): void {
    if (begun) this.count.inc();
  }
}
