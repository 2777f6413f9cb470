import { Injectable } from '@nestjs/common';
import { decodeOwn, EventStore, sealedUnder } from '@app/event-store';
import type { UserId } from '@app/kernel';
import { Throttle } from '@app/read-store';
import type { WordsLeft } from './erasure.decider';
import { PersonalStreams, type StreamsOfKind } from '../personal-streams';

const pageEvents = 500;
/** Names of streams with words in clear that are kept; the others are counted. */
const streamsNamedMax = 100;

/** Counts of a user's events with words. */
export interface WordsCounted {
  /** Events whose words are sealed, under keys that are destroyed. */
  readonly closed: number;
  readonly streams: number;
  readonly left: WordsLeft;
}

/** Reads every event of a user and counts those with words. */
@Injectable()
export class ClosedEvents {
  constructor(
    private readonly store: EventStore,
    private readonly personal: PersonalStreams,
  ) {}

  /** The read models must have caught up. Ends early, with an error, when the signal aborts. @throws Unavailable */
  async count(userId: UserId, signal: AbortSignal): Promise<WordsCounted> {
    const resting = new Throttle();
    const streamsLeft: string[] = [];
    const left = { events: 0, streams: streamsLeft, streamsInAll: 0 };
    let [closed, streams] = [0, 0];
    for await (const { hasOpenWords, streams: names } of this.personal.of(userId)) {
      for (const stream of names) {
        const counted = await this.countIn(stream, hasOpenWords, () => resting.pause());
        signal.throwIfAborted();
        [closed, streams] = [closed + counted.closed, streams + 1];
        left.events += counted.left;
        if (counted.left === 0) continue;
        left.streamsInAll += 1;
        if (streamsLeft.length < streamsNamedMax) streamsLeft.push(stream);
      }
    }
    return { closed, streams, left };
  }

  private async countIn(stream: string, hasOpenWords: StreamsOfKind['hasOpenWords'], pause: () => Promise<void>) {
    let [closed, left] = [0, 0];
    for (let from = 0; ; await pause()) {
      const page = await this.store.readRemaining(stream, from, pageEvents);
      for (const received of page) {
        const stored = decodeOwn(received);
        if (stored === null) continue;
        if (sealedUnder(stored) !== null) closed += 1;
        else if (hasOpenWords(stored)) left += 1;
      }
      const last = page.at(-1);
      if (last === undefined || page.length < pageEvents) return { closed, left };
      from = last.revision + 1;
    }
  }
}
