import { channel } from 'node:diagnostics_channel';

/** The points at which a crash would be most awkward; the crash suite kills the process at each of them. */
export type ProbePoint =
  | 'append:before'
  | 'append:after'
  | 'projection:before-commit'
  | 'projection:after-commit'
  | 'rebuild:before-commit'
  | 'rebuild:after-commit'
  | 'log:before-commit'
  | 'log:after-commit'
  | 'model:before'
  | 'model:after'
  | 'tool:before'
  | 'tool:after'
  | 'provider:before'
  | 'provider:after'
  | 'erasure:step'
  | 'retention:step'
  | 'webhooks:after-fan-out'
  | 'webhooks:after-claim'
  | 'webhooks:after-send';

/** The channel on which points are published; only the crash suites subscribe. */
const points = channel('parley:probe');

/** Publishes each point as it is passed. */
export class Probe {
  reached(point: ProbePoint): void {
    points.publish(point);
  }
}
