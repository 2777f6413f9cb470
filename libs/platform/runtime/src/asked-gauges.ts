import { Logger } from '@nestjs/common';
import { Gauge } from 'prom-client';
import type { Metrics } from './metrics';
import { settledWithin } from './settled-within';

/** Less than the second that anything on the management port waits for a database. */
const answerWithinMs = 800;

/** What is asked of one gauge; `labelNames` where it has a series for each of something. */
export interface AskedGauge {
  readonly help: string;
  readonly labelNames?: readonly string[];
}

/** The value of one series. */
export interface Figure<Name extends string> {
  readonly name: Name;
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

/**
 * Gauges that one question answers, which is asked when `GET /metrics` is: one at a time, however often they are looked at. While its
 * answer fails or is late they are absent: better no figure than a stale one, or than none of all the others.
 */
export function askedGauges<Name extends string>(
  { registry }: Metrics,
  gauges: Readonly<Record<Name, AskedGauge>>,
  ask: () => Promise<readonly Figure<NoInfer<Name>>[]>,
): void {
  const names = Object.keys(gauges).join(', ');
  const logger = new Logger('Metrics');
  let asking: Promise<readonly Figure<Name>[]> | null = null;
  const answer = async (): Promise<readonly Figure<Name>[]> => {
    asking ??= ask()
      .catch((error: unknown) => {
        logger.warn(`not known now: ${names}: ${error instanceof Error ? error.message : 'unknown'}`);
        return [];
      })
      .finally(() => (asking = null));
    const asked = asking;
    return (await settledWithin([asked], answerWithinMs)) ? asked : [];
  };
  for (const [name, { help, labelNames = [] }] of Object.entries<AskedGauge>(gauges)) {
    const gauge: Gauge = new Gauge({
      name,
      help,
      labelNames,
      registers: [registry],
      collect: async () => {
        const figures = (await answer()).filter((figure) => figure.name === name);
        gauge.reset();
        if (labelNames.length === 0) gauge.remove();
        for (const { labels = {}, value } of figures) gauge.set(labels, value);
      },
    });
  }
}
