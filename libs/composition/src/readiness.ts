import { Injectable, type OnModuleInit } from '@nestjs/common';
import { EventStore } from '@app/event-store';
import { ReadinessChecks } from '@app/http';
import { Database, Processes, ReadGate } from '@app/read-store';

/** Less than the second that a check may take. */
const checkWithinMs = 800;

/** As processes tell each other of a subscription that cannot get past an event. */
const subscription = 'subscription ';

/**
 * What `GET /readyz` asks: both stores must answer and take writes; without a projector, and while a subscription of any process
 * cannot get past an event, the service is degraded (docs/decisions/configuration-and-start.md, "Start").
 */
@Injectable()
export class StoresReadiness implements OnModuleInit {
  constructor(
    private readonly checks: ReadinessChecks,
    private readonly database: Database,
    private readonly store: EventStore,
    private readonly gate: ReadGate,
    private readonly processes: Processes,
  ) {}

  onModuleInit(): void {
    this.checks.add({ name: 'database', check: async () => ((await this.database.answers()) ? 'ok' : 'away') });
    this.checks.add({
      name: 'event store',
      check: async () => ((await this.store.answers(checkWithinMs)) ? 'ok' : 'away'),
    });
    this.checks.add({ name: 'projections', check: () => Promise.resolve(this.gate.projecting ? 'ok' : 'degraded') });
    this.processes.reports(() => [...this.store.stuck].map((name) => subscription + name));
    this.checks.add({ name: 'subscriptions', check: () => this.stuckSubscriptions() });
  }

  /** Each by its name; nothing is said where none is stuck. */
  private async stuckSubscriptions(): Promise<Record<string, 'degraded'>> {
    const stuck = (await this.processes.troubles()).filter((trouble) => trouble.startsWith(subscription));
    return Object.fromEntries(stuck.map((name) => [name, 'degraded']));
  }
}
