import type { FramedEvent } from '../event';

export interface Follower {
  /** Called when there may be events that it has not seen. */
  wake(): void;
}
export interface StreamFollower extends Follower {
  readonly stream: string;
  offer(event: FramedEvent): void;
}

/** Live subscriptions, found by stream name: an event costs only those that want it. */
export class Hub {
  private readonly byStream = new Map<string, Set<StreamFollower>>();
  private readonly ofAll = new Set<Follower>();

  addToStream(follower: StreamFollower): void {
    const followers = this.byStream.get(follower.stream);
    if (followers) followers.add(follower);
    else this.byStream.set(follower.stream, new Set([follower]));
  }

  addToAll(follower: Follower): void {
    this.ofAll.add(follower);
  }

  remove(follower: Follower & { readonly stream?: string }): void {
    if (follower.stream === undefined) {
      this.ofAll.delete(follower);
      return;
    }
    const followers = this.byStream.get(follower.stream);
    // `as`: what was added under a stream name is a stream follower.
    followers?.delete(follower as StreamFollower);
    if (followers?.size === 0) this.byStream.delete(follower.stream);
  }

  publish(events: readonly FramedEvent[]): void {
    for (const event of events) {
      for (const follower of this.byStream.get(event.stream) ?? []) follower.offer(event);
    }
    for (const follower of this.ofAll) follower.wake();
  }

  wakeAll(): void {
    const ofStreams = [...this.byStream.values()].flatMap((followers) => [...followers]);
    for (const follower of [...this.ofAll, ...ofStreams]) follower.wake();
  }
}
