import { Inject, Injectable } from '@nestjs/common';
import { Command, CommandHandler, ofType, Saga, type ICommand, type ICommandHandler } from '@nestjs/cqrs';
import { filter, map, type Observable } from 'rxjs';
import { EventSeen } from '../events/event-feed';
import { FoldedStates } from './folded-states';

/** Wakes everything in this process that waits for news of a stream. */
class WakeWaiters extends Command<void> {
  constructor(readonly stream: string) {
    super();
  }
}

@CommandHandler(WakeWaiters)
export class WakeWaitersHandler implements ICommandHandler<WakeWaiters> {
  constructor(@Inject(FoldedStates) private readonly states: FoldedStates) {}

  async execute({ stream }: WakeWaiters): Promise<void> {
    this.states.wake(stream);
  }
}

@Injectable()
export class StreamSagas {
  constructor(@Inject(FoldedStates) private readonly states: FoldedStates) {}

  /** Wakes the waiters when an event of an awaited stream is seen. */
  @Saga()
  awaited(bus: Observable<object>): Observable<ICommand> {
    return bus.pipe(
      ofType(EventSeen),
      filter(({ event }) => this.states.isAwaited(event.stream)),
      map(({ event }) => new WakeWaiters(event.stream)),
    );
  }
}
