import { Injectable, type OnModuleInit } from '@nestjs/common';
import { EventStore } from '@app/event-store';
import { Clock, type Instant } from '@app/kernel';
import { polledGauges, Metrics } from '@app/runtime';
import { Configuration } from '@app/settings';
import { verifierKeyText } from '@app/transparency';
import { Checkpoints } from './signing/checkpoints';
import type { SignedCheckpoint } from './checkpoints/checkpoints.decider';
import { LogTables } from './log/log-tables';
import { isWitnessed } from './checkpoints/witnessing';

const gauges = {
  parley_transparency_log_size: { help: 'Events that the log of all events covers' },
  parley_checkpoint_age_seconds: {
    help: 'How long ago, by the service clock, the newest signed checkpoint of the log was made; 0 where it covers every event',
  },
  parley_checkpoint_witnessed_age_seconds: {
    help: 'How long ago, by the service clock, the newest checkpoint was made that WITNESSES_NEEDED witnesses signed; 0 where it covers every event, absent where none are needed',
  },
  parley_witness_signed_age_seconds: {
    help: 'How long ago, by the service clock, the newest checkpoint was made that a witness signed; 0 where it covers every event',
    labelNames: ['witness'],
  },
};

/** Reports how many events the log covers, and how old its newest signed and witnessed checkpoints are. */
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
    polledGauges(this.metrics, gauges, () => this.figures());
  }

  private async figures() {
    const [end, place, state] = await Promise.all([
      this.store.endPosition(),
      this.tables.place(),
      this.checkpoints.current(),
    ]);
    const { env } = this.configuration;
    const isWhole = place.position >= end;
    const ageOf = (checkpoint: SignedCheckpoint | undefined): number =>
      isWhole && checkpoint?.size === place.size ? 0 : this.secondsSince(checkpoint?.at ?? state.openedAt);
    const { signed } = state;
    const bySome = (key: string) => signed.findLast((one) => one.cosignatures.some(({ witness }) => witness === key));
    return [
      { name: 'parley_transparency_log_size', value: place.size },
      { name: 'parley_checkpoint_age_seconds', value: ageOf(signed.at(-1)) },
      ...(env.WITNESSES_NEEDED === 0 ? [] : [this.witnessedAge(signed, ageOf)]),
      ...env.WITNESSES.map(({ key }) => ({
        name: 'parley_witness_signed_age_seconds' as const,
        labels: { witness: key.name },
        value: ageOf(bySome(verifierKeyText(key))),
      })),
    ] as const;
  }

  private witnessedAge(signed: readonly SignedCheckpoint[], ageOf: (one: SignedCheckpoint | undefined) => number) {
    const witnessed = signed.findLast((one) => isWitnessed(one, this.configuration));
    return { name: 'parley_checkpoint_witnessed_age_seconds', value: ageOf(witnessed) } as const;
  }

  /** 0 if nothing has begun yet. */
  private secondsSince(at: Instant | null): number {
    return at === null ? 0 : (Date.parse(this.clock.now()) - Date.parse(at)) / 1000;
  }
}
