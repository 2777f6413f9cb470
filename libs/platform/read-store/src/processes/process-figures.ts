import { polledGauges, type Metrics } from '@app/runtime';
import type { Database } from '../database/database';
import { processGoneMs } from './processes';

const gauges = {
  parley_processes: {
    help: 'Processes of the deployment that reported within 6 s, by role (api, worker); one may have both',
    labelNames: ['role'],
  },
};

/** Metrics of the processes that live, as each process sees them: one that hangs does not report itself. */
export class ProcessFigures {
  constructor(
    private readonly database: Database,
    metrics: Metrics,
  ) {
    polledGauges(metrics, gauges, () => this.living());
  }

  private async living() {
    const [row] = await this.database.query<{ apis: number; workers: number }>(
      `SELECT count(*) FILTER (WHERE api)::int AS apis, count(*) FILTER (WHERE worker)::int AS workers
       FROM processes WHERE heartbeat_at > now() - $1 * interval '1 ms'`,
      [processGoneMs],
    );
    return [
      { name: 'parley_processes', labels: { role: 'api' }, value: row?.apis ?? 0 },
      { name: 'parley_processes', labels: { role: 'worker' }, value: row?.workers ?? 0 },
    ] as const;
  }
}
