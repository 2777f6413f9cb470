export { asyncApiDocument, lifeOf, streamLife, type DescribedChannel } from './asyncapi';
export type { FrameSink } from './event-socket';
export { answerOpened, EventStreams, type Seat } from './event-streams';
export { FrameHub, type FramePage } from './frame-hub';
export type { PlacedFrame } from './frame-window';
export { EventStreamsModule, JournalModule, journalReadModel, LiveFramesModule } from './journal.module';
export { LiveFrames } from './live-frames';
export { OpenStreams } from './open-streams';
export { eventsGroup } from './journal.contract';
