import { Module } from '@nestjs/common';
import { EventStreams } from './event-streams';
import { OpenStreams } from './open-streams';
import { StreamHolders } from './stream-holders';
import { StreamSockets } from './stream-sockets';

/** SSE streams of any source: counted and maintained together for this whole process. */
@Module({ providers: [StreamSockets, StreamHolders, OpenStreams, EventStreams], exports: [OpenStreams, EventStreams] })
export class EventStreamsModule {}
