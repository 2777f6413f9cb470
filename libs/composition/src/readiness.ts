import { Injectable, type OnModuleInit } from '@nestjs/common';
import { EventStore } from '@app/event-store';
import { ReadinessChecks } from '@app/http';
import { Database, Processes, ProjectionRunner, ReadGate } from '@app/read-store';

/** Less than the second that a check may take. */
const checkWithinMs = 800;

/** Prefixes for a subscription, or a projection alone, that cannot get past an event; failing work is named `work <name>`. */
const subscription = 'subscription ';
const projection = 'projection ';

/**
 * The checks of `GET /readyz`. Both stores must answer and accept writes. The service is degraded without a projector, and while a
 * subscription, a projection or other work of any process cannot continue, or a stream is damaged. While a read model of this version is
 * still being built, this process is not ready (docs/decisions/configuration-and-start.md, "Start").
 */
@Injectable()
export class StoresReadiness implements OnModuleInit {
  constructor(
    private readonly checks: ReadinessChecks,
    private readonly database: Database,
    private readonly store: EventStore,
    private readonly gate: ReadGate,
    private readonly processes: Processes,
    private readonly projecting: ProjectionRunner,
  ) {}

  onModuleInit(): void {
    this.checks.add({ name: 'database', check: async () => ((await this.database.answers()) ? 'ok' : 'away') });
    this.checks.add({
      name: 'event store',
      check: async () => ((await this.store.health.answers(checkWithinMs)) ? 'ok' : 'away'),
    });
    this.checks.add({ name: 'projections', check: () => Promise.resolve(this.gate.projecting ? 'ok' : 'degraded') });
    this.processes.reports(() => [...this.store.stuck].map((name) => subscription + name));
    this.processes.reports(() => this.projecting.stalled.map((name) => projection + name));
    this.checks.add({ name: 'subscriptions', throughDatabase: true, check: () => this.stuck() });
    this.checks.add({ name: 'read models', check: () => Promise.resolve(this.building()) });
  }

  /** Returns one entry per stuck part, by its name. */
  private async stuck(): Promise<Record<string, 'degraded'>> {
    const troubles = await this.processes.troubles();
    return Object.fromEntries(troubles.map((name) => [name, 'degraded']));
  }

  /** Returns one entry per missing read model, by its name. */
  private building(): Record<string, 'away'> {
    return Object.fromEntries(this.database.tables.missing.map((name) => [`read model ${name}`, 'away']));
  }
}
