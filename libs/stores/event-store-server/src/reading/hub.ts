import type { FramedEvent } from '../event';
import { LiveEvents } from './live-events';

interface Follower {
  /** Called when there may be events that it has not seen. */
  wake(): void;
}
export interface StreamFollower extends Follower {
  readonly stream: string;
  offer(event: FramedEvent): void;
}
export interface AllFollower extends Follower {
  offer(live: LiveEvents): void;
}

/** Live subscriptions, indexed by stream name, so that an event costs only those that want it. */
export class Hub {
  private readonly byStream = new Map<string, Set<StreamFollower>>();
  private readonly ofAll = new Set<AllFollower>();

  addToStream(follower: StreamFollower): void {
    const followers = this.byStream.get(follower.stream);
    if (followers) followers.add(follower);
    else this.byStream.set(follower.stream, new Set([follower]));
  }

  addToAll(follower: AllFollower): void {
    this.ofAll.add(follower);
  }

  remove(follower: StreamFollower | AllFollower): void {
    if (!('stream' in follower)) {
      this.ofAll.delete(follower);
      return;
    }
    const followers = this.byStream.get(follower.stream);
    followers?.delete(follower);
    if (followers?.size === 0) this.byStream.delete(follower.stream);
  }

  publish(events: readonly FramedEvent[]): void {
    for (const event of events) {
      for (const follower of this.byStream.get(event.stream) ?? []) follower.offer(event);
    }
    if (this.ofAll.size === 0) return;
    const live = new LiveEvents(events);
    for (const follower of this.ofAll) follower.offer(live);
  }

  wakeAll(): void {
    const ofStreams = [...this.byStream.values()].flatMap((followers) => [...followers]);
    for (const follower of [...this.ofAll, ...ofStreams]) follower.wake();
  }
}
