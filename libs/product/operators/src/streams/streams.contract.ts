import { operation, type OperationGroup } from '@app/http';
import { ShowEventsDto, StreamEventPage, streamsExamples, StreamVerification } from './streams.schema';

export const streamsGroup: OperationGroup = { name: 'streams', description: 'Streams of events as they are stored' };

const stream = { description: 'The name of a stream: its category and an id', example: streamsExamples.stream };

export const showEvents = operation('streams.events', {
  route: 'GET /operator/v1/streams/:stream/events',
  scope: 'audit',
  summary: 'The events of a stream, and the state that they result in at a point',
  description:
    'Oldest first, with what the partner API shows nobody. `at` asks for the state as of a `seq` or an instant, folded by what decides on ' +
    'the stream; `and` for the difference to a second one. The look is logged.',
  parameters: { stream },
  query: ShowEventsDto,
  answer: StreamEventPage,
  examples: { answer: streamsExamples.events },
});

export const verifyStream = operation('streams.verify', {
  route: 'GET /operator/v1/streams/:stream/verify',
  scope: 'audit',
  waits: true,
  summary: 'Hold a stream against the log of all events',
  description:
    'Hashes the stored bytes of its events again, and proves each of them up to the newest checkpoint. Each one that is not as the log ' +
    'says is named. The look is logged.',
  parameters: { stream },
  answer: StreamVerification,
  examples: { answer: streamsExamples.verification },
});

export const exportStream = operation('streams.export', {
  route: 'GET /operator/v1/streams/:stream/export',
  scope: 'audit',
  waits: true,
  summary: 'The stored bytes of a stream',
  description:
    'An event in each line, oldest first, up to the one that was the last when it was asked for: `{stream, revision, position, id, type, ' +
    'data, metadata}`, the stored bytes of the last two in base64. The look is logged.',
  parameters: { stream },
  answer: { mediaType: 'application/x-ndjson', description: 'A line for each event' },
});
