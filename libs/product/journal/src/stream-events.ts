import { Injectable } from '@nestjs/common';
import type { Caller } from '@app/http';
import { notFound, refuse, type ConversationId, type Result } from '@app/kernel';
import { Configuration } from '@app/settings';
import type { FastifyReply } from 'fastify';
import { ConversationHubs } from './conversation-hubs';
import { EventStreams } from './event-streams';
import { Journal } from './journal';
import { OpenStreams } from './open-streams';

/**
 * `conversations.stream`: a conversation's events over SSE, from a seq on and then live (specification, "Events"). Not a query, because it
 * takes the reply over for as long as the stream lives.
 */
@Injectable()
export class StreamEvents {
  constructor(
    private readonly journal: Journal,
    private readonly hubs: ConversationHubs,
    private readonly streams: EventStreams,
    private readonly configuration: Configuration,
    open: OpenStreams,
  ) {
    open.onHeartbeat((nowMs) => hubs.age(nowMs));
  }

  /**
   * Takes the response over and streams strictly after `seq`; resolves as soon as the stream is open. `HEAD` is answered with the head of
   * the stream alone, and counts as no stream.
   * Refuses a missing or foreign conversation (`not_found`), and one stream too many (`stream_capacity`). Throws Unavailable.
   */
  async open(caller: Caller, id: ConversationId, seq: number, reply: FastifyReply): Promise<Result<null>> {
    const { userId } = caller;
    if (!(await this.journal.belongsTo(id, userId))) return refuse(notFound);
    return this.streams.open(reply, {
      holder: caller,
      owner: { id: userId, streamsMax: this.configuration.env.STREAMS_PER_USER },
      after: seq,
      join: () => this.hubs.join(id),
    });
  }
}
