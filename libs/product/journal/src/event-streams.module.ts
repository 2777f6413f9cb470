import { Module } from '@nestjs/common';
import { EventStreams } from './event-streams';
import { OpenStreams } from './open-streams';
import { StreamHolders } from './stream-holders';
import { StreamSockets } from './stream-sockets';

/** SSE streams, whatever goes out on them: one count, one care, for all that this process has open. */
@Module({ providers: [StreamSockets, StreamHolders, OpenStreams, EventStreams], exports: [OpenStreams, EventStreams] })
export class EventStreamsModule {}
