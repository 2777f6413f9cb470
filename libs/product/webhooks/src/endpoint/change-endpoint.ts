import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Streams } from '@app/event-store';
import { Clock, ok, refuse, type Cause, type EndpointId, type Result } from '@app/kernel';
import type { EndpointSettings } from './endpoint.events';
import { endpointKind } from './endpoint.stream';
import { EndpointUrls } from './endpoint-urls';

/**
 * Changes the given settings and keeps the others: from the next attempt on, messages use the new ones. An endpoint
 * enabled again gets events from then on. Idempotent. Refuses with `not_found` and `invalid_input`. @throws Unavailable
 */
export class ChangeEndpoint extends Command<Result<void>> {
  constructor(
    readonly request: {
      readonly endpointId: EndpointId;
      readonly settings: Partial<EndpointSettings>;
      readonly enabled?: boolean;
      readonly reason: string;
      readonly cause: Cause;
    },
  ) {
    super();
  }
}

@CommandHandler(ChangeEndpoint)
export class ChangeEndpointHandler implements ICommandHandler<ChangeEndpoint> {
  constructor(
    private readonly streams: Streams,
    private readonly urls: EndpointUrls,
    private readonly clock: Clock,
  ) {}

  async execute({ request: { endpointId, cause, ...change } }: ChangeEndpoint): Promise<Result<void>> {
    const { url } = change.settings;
    const issue = url === undefined ? null : this.urls.issueIn(url);
    if (issue !== null) return refuse(issue);
    const command = { type: 'ChangeEndpoint', at: this.clock.now(), ...change } as const;
    const done = await this.streams.decide(endpointKind, endpointId, command, cause, { visible: true });
    return done.ok ? ok(undefined) : refuse(done.refusal);
  }
}
