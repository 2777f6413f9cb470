/** Odd values in stored events, each proven in a log that holds the event so, and whether a receipt of them holds. */
import { utf8 } from '@app/transparency';
import { bytesOf, journeys, received } from './histories';
import { proven, type Proven } from './proven';
import { receiptDepthMax } from '../src/parts/receipt-json';
import { receiptEvent } from '../src/receipt-bytes';
import type { EventBytes } from '../src/parts/receipt-source';

export interface OddEvent extends Pick<Proven, 'log'> {
  readonly name: string;
  readonly holds: boolean;
  readonly text: string;
}

const journey = journeys.covered().events;
const events = journey.map(bytesOf);
const receipt = received(journey);

type Part = 'data' | 'metadata';

/** The receipt with one event of this type stored with another member, whose value is written like this. */
function odd(type: string, part: Part, member: string, value: string, holds = false): OddEvent {
  const nth = events.findLastIndex((event) => event.type === type);
  const stored = events.map((event, index) => (index === nth ? withMember(event, part, member, value) : event));
  const { receipt: whole, log } = proven({ ...receipt, events: stored.map(receiptEvent) });
  const shown = value.length > 20 ? `${value.slice(0, 5)}… of ${value.length}` : value;
  return { name: `${type}: ${part}.${member} of ${shown}`, holds, log, text: JSON.stringify(whole) };
}

const placeholder = 'the value';

function withMember(event: EventBytes, part: Part, member: string, value: string): EventBytes {
  // Reason for the assertion: stored bytes are those of an object.
  const members = JSON.parse(Buffer.from(event[part]).toString('utf8')) as object;
  const text = JSON.stringify({ ...members, [member]: placeholder });
  return { ...event, [part]: utf8(text.replace(JSON.stringify(placeholder), () => value)) };
}

/** A list of so many levels. */
const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

/** The index of the only action. */
const indexes = ['0.0', '-0', '0e5', '8.0', '0.5', '-1', '1', 'true', 'false', 'null', '"0"', '[0]', '1e400', '1e-400'];
const heldIndexes = new Set(['0.0', '-0', '0e5', '1e-400']);
const versions = [
  '0',
  '0.1',
  '-0',
  '-1',
  '1.5',
  'true',
  'null',
  '"1"',
  '[1]',
  '{}',
  '1e400',
  '1e-400',
  '9007199254740992',
];

export function oddEvents(): OddEvent[] {
  const both = ['data', 'metadata'] as const;
  return [
    ...both.flatMap((part) => [
      odd('approval.decided', part, 'extra', nested(receiptDepthMax - 1), true),
      odd('approval.decided', part, 'extra', nested(receiptDepthMax)),
      odd('approval.decided', part, 'extra', nested(3_000)),
      odd('approval.decided', part, 'extra', '-0', true),
    ]),
    ...['null', '[]', '[1]', '""', '"text"', '0', 'true'].map((value) =>
      odd('approval.decided', 'metadata', 'private', value),
    ),
    odd('operation.settled', 'metadata', 'private', '{}', true),
    odd('operation.settled', 'metadata', 'private', '{"at":"2026-05-04T10:01:20.000Z"}'),
    ...['approval.opened', 'approval.decided', 'submission.journaled', 'operation.settled'].flatMap((type) =>
      versions.map((value) => odd(type, 'metadata', 'v', value)),
    ),
    ...['null', '7', '["2026-05-04T10:01:20.000Z"]'].map((value) => odd('operation.settled', 'data', 'at', value)),
    ...['0', '"1"', '{}', '{"actions":"none"}'].map((value) => odd('operation.settled', 'data', 'contract', value)),
    odd('operation.settled', 'data', 'contract', 'null', true),
    odd('operation.used', 'data', 'index', '0'),
    odd('submission.journaled', 'data', 'worthUsd', '3'),
    ...['"text"', '{}', '{"tokenId":"a","amountRaw":" 7"}', '{"tokenId":"a","amountRaw":7}'].map((value) =>
      odd('action.settled', 'data', 'returned', value),
    ),
    ...['3.0', '30e-1'].map((value) => odd('submission.journaled', 'metadata', 'v', value, true)),
    ...['submission.journaled', 'submission.accepted', 'action.settled'].flatMap((type) =>
      indexes.map((value) => odd(type, 'data', 'index', value, heldIndexes.has(value))),
    ),
  ];
}
