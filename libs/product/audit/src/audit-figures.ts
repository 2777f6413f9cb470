import { Injectable, type OnModuleInit } from '@nestjs/common';
import { EventStore } from '@app/event-store';
import { Clock } from '@app/kernel';
import { askedGauges, Configuration, Metrics } from '@app/runtime';
import { Checkpoints } from './checkpoints';
import type { SignedCheckpoint } from './checkpoints.decider';
import { LogTables } from './log-tables';
import { isWitnessed } from './witnessing';

const gauges = {
  parley_transparency_log_size: { help: 'Events that the log of all events covers' },
  parley_checkpoint_age_seconds: {
    help: 'How long ago, by the service clock, the newest signed checkpoint of the log was made; 0 where it covers every event',
  },
  parley_checkpoint_witnessed_age_seconds: {
    help: 'How long ago, by the service clock, the newest checkpoint was made that WITNESSES_NEEDED witnesses signed; 0 where it covers every event, absent where none are needed',
  },
};

/** Shows how much the log covers, and how old what vouches for it is. */
@Injectable()
export class AuditFigures implements OnModuleInit {
  constructor(
    private readonly metrics: Metrics,
    private readonly tables: LogTables,
    private readonly checkpoints: Checkpoints,
    private readonly store: EventStore,
    private readonly clock: Clock,
    private readonly configuration: Configuration,
  ) {}

  onModuleInit(): void {
    askedGauges(this.metrics, gauges, () => this.figures());
  }

  private async figures() {
    const [end, place, { signed }] = await Promise.all([
      this.store.endPosition(),
      this.tables.place(),
      this.checkpoints.current(),
    ]);
    const isWhole = place.position >= end;
    const ageOf = (checkpoint: SignedCheckpoint | undefined): number => {
      if (checkpoint === undefined) return 0;
      const isAll = isWhole && checkpoint.size === place.size;
      return isAll ? 0 : (Date.parse(this.clock.now()) - Date.parse(checkpoint.at)) / 1000;
    };
    const witnessed = signed.findLast((one) => isWitnessed(one, this.configuration));
    return [
      { name: 'parley_transparency_log_size', value: place.size },
      { name: 'parley_checkpoint_age_seconds', value: ageOf(signed.at(-1)) },
      ...(this.configuration.env.WITNESSES_NEEDED === 0
        ? []
        : [{ name: 'parley_checkpoint_witnessed_age_seconds', value: ageOf(witnessed ?? signed[0]) } as const]),
    ] as const;
  }
}
