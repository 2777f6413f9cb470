import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ReadinessChecks } from '@app/http';
import { Processes } from '@app/read-store';
import { logTroubles } from './audit-work';
import { LogIdentity } from './log/log-identity';

/** Reports in `/readyz` that the log signs nothing, with a one-word reason; nothing while it signs. */
@Injectable()
export class LogReadiness implements OnModuleInit {
  constructor(
    private readonly checks: ReadinessChecks,
    private readonly identity: LogIdentity,
    private readonly processes: Processes,
  ) {}

  onModuleInit(): void {
    this.checks.add({ name: logTroubles, throughDatabase: true, check: () => this.state() });
  }

  private async state(): Promise<Record<string, 'degraded'>> {
    const [hold, troubles] = await Promise.all([this.identity.hold(), this.processes.troubles()]);
    const held = hold === null ? [] : [`${logTroubles} (${hold.why})`];
    const found = troubles.filter((trouble) => trouble.startsWith(logTroubles));
    return Object.fromEntries([...held, ...found].map((name) => [name, 'degraded']));
  }
}
