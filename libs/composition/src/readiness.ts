import { Injectable, type OnModuleInit } from '@nestjs/common';
import { EventStore } from '@app/event-store';
import { ReadinessChecks } from '@app/http';
import { Database, ReadGate } from '@app/read-store';

/** Less than the second that a check may take. */
const checkWithinMs = 800;

/** What `GET /readyz` asks: both stores must answer; without a projector the service is degraded (docs/decisions/conventions.md). */
@Injectable()
export class StoresReadiness implements OnModuleInit {
  constructor(
    private readonly checks: ReadinessChecks,
    private readonly database: Database,
    private readonly store: EventStore,
    private readonly gate: ReadGate,
  ) {}

  onModuleInit(): void {
    this.checks.add({ name: 'database', check: async () => ((await this.database.answers()) ? 'ok' : 'away') });
    this.checks.add({
      name: 'event store',
      check: async () => ((await this.store.answers(checkWithinMs)) ? 'ok' : 'away'),
    });
    this.checks.add({ name: 'projections', check: () => Promise.resolve(this.gate.projecting ? 'ok' : 'degraded') });
  }
}
