import { shipped } from './shipped-prometheus';

/** The parts of a panel that tests check. */
export interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly refId: string; readonly expr: string }[];
}

export interface Dashboard {
  readonly uid: string;
  readonly schemaVersion: number;
  readonly panels: readonly Panel[];
}

export async function shippedDashboard(): Promise<Dashboard> {
  // Reason for the assertion: Grafana's JSON model of a dashboard; a wrong shape fails the tests that read it.
  return JSON.parse(await shipped('dashboard.json')) as Dashboard;
}

/** The queries of its panels in a form that Prometheus accepts, because the interval's variable is Grafana's own. */
export function expressionsIn({ panels }: Dashboard): string[] {
  return panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr.replaceAll('$__rate_interval', '5m')));
}
