export { asyncApiDocument, lifeOf, streamLife, type DescribedChannel } from './asyncapi';
export type { FrameSink } from './event-socket';
export { EventStreams, type FrameSource, type Seat } from './event-streams';
export { EventStreamsModule } from './event-streams.module';
export { FrameWindow, oneBuffer, type PlacedFrame } from './frame-window';
export { JournalModule, journalReadModel, LiveFramesModule } from './journal.module';
export { LiveFrames } from './live-frames';
export { OpenStreams } from './open-streams';
export { eventsGroup } from './journal.contract';
