import { failureWords } from '@app/kernel';
import { Logger } from '@nestjs/common';
import { Gauge, type Registry } from 'prom-client';
import type { Metrics } from './metrics';
import { settledWithin } from '../waiting/settled-within';

/** Less than the second that a request to the management port waits for a database. */
const answerWithinMs = 800;

/** Description of one gauge; with `labelNames` if it has several series. */
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
 * Registers gauges that one question answers. It is asked on `GET /metrics`, one at a time, however often the gauges are read. While the
 * answer fails or is late they are absent: a missing figure is better than a stale one, and must not cost all the others.
 * `parley_figures_missing` then names the first of them, so that an alert on an absent figure does not stay silent.
 */
export function polledGauges<Name extends string>(
  { registry }: Metrics,
  gauges: Readonly<Record<Name, AskedGauge>>,
  ask: () => Promise<readonly Figure<NoInfer<Name>>[]>,
): void {
  const question = new Question(Object.keys(gauges), ask);
  questionsOf(registry).push(question);
  for (const [name, { help, labelNames = [] }] of Object.entries<AskedGauge>(gauges)) {
    const gauge: Gauge = new Gauge({
      name,
      help,
      labelNames,
      registers: [registry],
      collect: async () => {
        const figures = (await question.answer()).filter((figure) => figure.name === name);
        gauge.reset();
        if (labelNames.length === 0) gauge.remove();
        for (const { labels = {}, value } of figures) gauge.set(labels, value);
      },
    });
  }
}

/** One question, for several gauges. */
class Question<Name extends string> {
  private readonly logger = new Logger('Metrics');
  private asking: Promise<readonly Figure<Name>[]> | null = null;
  private isMissing = false;

  constructor(
    private readonly names: readonly string[],
    private readonly ask: () => Promise<readonly Figure<Name>[]>,
  ) {}

  /** The first of its gauges, which names it. */
  get figure(): string {
    return this.names[0] ?? '';
  }

  /** Returns the figures; none if the answer fails or is late. */
  async answer(): Promise<readonly Figure<Name>[]> {
    const asking = (this.asking ??= this.asked().finally(() => (this.asking = null)));
    if (await settledWithin([asking], answerWithinMs)) return asking;
    this.isMissing = true;
    return [];
  }

  /** Whether the answer is missing now. */
  async isUnknown(): Promise<boolean> {
    await this.answer();
    return this.isMissing;
  }

  private async asked(): Promise<readonly Figure<Name>[]> {
    try {
      const figures = await this.ask();
      this.isMissing = false;
      return figures;
    } catch (error) {
      this.isMissing = true;
      const why = failureWords(error);
      this.logger.warn(`not known now: ${this.names.join(', ')}: ${why}`);
      return [];
    }
  }
}

const questions = new WeakMap<Registry, Question<string>[]>();

/** The questions of a registry, with a gauge that reports which of them have no answer. */
function questionsOf(registry: Registry): Question<string>[] {
  const known = questions.get(registry);
  if (known !== undefined) return known;
  const asked: Question<string>[] = [];
  questions.set(registry, asked);
  const gauge: Gauge<'figure'> = new Gauge({
    name: 'parley_figures_missing',
    help: 'Whether a figure, and those that are read with it, cannot be read now, 1 or 0; an alert on them cannot fire then',
    labelNames: ['figure'],
    registers: [registry],
    collect: async () => {
      for (const question of asked) gauge.set({ figure: question.figure }, (await question.isUnknown()) ? 1 : 0);
    },
  });
  return asked;
}
