export { asyncApiDocument, streamLife } from './asyncapi';
export { JournalModule, journalReadModel, LiveFramesModule } from './journal.module';
export { LiveFrames } from './live-frames';
export { eventsGroup } from './journal.contract';
