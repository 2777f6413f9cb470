export { durableText, JournalKind } from './fin-event';
export { JournalModule, journalReadModel, LiveFramesModule } from './journal.module';
export { LiveFrames } from './live-frames';
