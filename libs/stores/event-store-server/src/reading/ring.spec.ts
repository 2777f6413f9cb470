import fc from 'fast-check';
import { frameEvent } from '@app/event-store-wire';
import type { FramedEvent } from '../event';
import { Ring } from './ring';

const EVENTS_MAX = 8;
const BYTES_MAX = 2_000;

function event(position: number, stream: string, revision: number, bytes: number): FramedEvent {
  return frameEvent({
    id: '00000000-0000-4000-8000-000000000000',
    type: 't',
    isJson: true,
    data: new Uint8Array(bytes),
    metadata: new Uint8Array(0),
    stream,
    revision,
    position,
    createdMs: 0,
  });
}

test('holds the newest events within its bounds, by position and by stream', () => {
  const appended = fc.array(fc.record({ stream: fc.constantFrom('a', 'b', 'c'), bytes: fc.nat(600) }), {
    maxLength: 60,
  });
  fc.assert(
    fc.property(appended, (appends) => {
      const ring = new Ring(EVENTS_MAX, BYTES_MAX);
      ring.reset(10);
      const all: FramedEvent[] = [];
      for (const { stream, bytes } of appends) {
        const revision = all.filter((one) => one.stream === stream).length;
        const next = event(11 + all.length, stream, revision, bytes);
        all.push(next);
        ring.append([next]);
        const held = all.filter(({ position }) => ring.at(position) !== undefined);
        expect(held.length).toBeLessThanOrEqual(EVENTS_MAX);
        expect(held.reduce((sum, { frame }) => sum + frame.length, 0)).toBeLessThanOrEqual(BYTES_MAX);
        expect(held).toEqual(all.slice(all.length - held.length));
        expect(ring.covers((held[0]?.position ?? 0) - 1)).toBe(true);
        expect(ring.covers((held[0]?.position ?? 0) - 2)).toBe(false);
        for (const name of ['a', 'b', 'c']) {
          const ofStream = held.filter((one) => one.stream === name);
          const oldest = ofStream[0]?.revision;
          if (oldest === undefined) expect(ring.streamFrom(name, 0, 100)).toBeUndefined();
          else {
            expect(ring.streamFrom(name, oldest, 100)).toEqual(ofStream);
            expect(ring.streamFrom(name, oldest + 1, 2)).toEqual(ofStream.slice(1, 3));
            expect(oldest > 0 && ring.streamFrom(name, oldest - 1, 100)).toBe(oldest > 0 ? undefined : false);
          }
        }
      }
    }),
    { numRuns: 60 },
  );
});

test('forgets everything when the end is read again', () => {
  const ring = new Ring(EVENTS_MAX, BYTES_MAX);
  ring.append([event(1, 'a', 0, 1)]);
  ring.reset(7);
  expect(ring.lastPosition).toBe(7);
  expect([ring.covers(7), ring.covers(6), ring.at(1), ring.streamFrom('a', 0, 1)]).toEqual([
    true,
    false,
    undefined,
    undefined,
  ]);
});
