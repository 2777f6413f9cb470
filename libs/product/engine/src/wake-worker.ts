import { Injectable } from '@nestjs/common';
import { Command, CommandHandler, Saga, type ICommand, type ICommandHandler } from '@nestjs/cqrs';
import { conversationKind, type ConversationEvent } from '@app/conversations';
import { FoldedStates, ofEvents } from '@app/event-store';
import { asId, type ConversationId, type RunId, type RunKey } from '@app/kernel';
import { filter, map, type Observable } from 'rxjs';
import { RunWorker } from './run-worker';

/** Has this process's worker take a segment that began here just now, before its row is there for any worker to claim. */
class TakeRun extends Command<void> {
  constructor(
    readonly conversationId: ConversationId,
    readonly runId: RunId,
    readonly segment: number,
  ) {
    super();
  }
}

@CommandHandler(TakeRun)
export class TakeRunHandler implements ICommandHandler<TakeRun> {
  constructor(
    private readonly states: FoldedStates,
    private readonly worker: RunWorker,
  ) {}

  async execute({ conversationId, runId, segment }: TakeRun): Promise<void> {
    // A subscription may bring an event before this process knows that it has appended it.
    const known = this.states.cached(conversationKind, conversationId)?.state.openRuns[runId];
    const run =
      known?.segment === segment
        ? known
        : (await this.states.current(conversationKind, conversationId)).state.openRuns[runId];
    if (run?.segment !== segment) return;
    const { runKey, userId } = run;
    await this.worker.take({ runKey, runId, userId, conversationId, segment });
  }
}

/** Stops a run that is to stop, where this process's worker executes it. */
class StopExecution extends Command<void> {
  constructor(readonly runKey: RunKey) {
    super();
  }
}

@CommandHandler(StopExecution)
export class StopExecutionHandler implements ICommandHandler<StopExecution> {
  constructor(private readonly worker: RunWorker) {}

  async execute({ runKey }: StopExecution): Promise<void> {
    this.worker.stop(runKey);
  }
}

/** What wakes the worker of this process; whatever passes by, its looks, leases and notifications find all the same. */
@Injectable()
export class WorkerSagas {
  @Saga()
  begun(bus: Observable<object>): Observable<ICommand> {
    return bus.pipe(
      ofEvents<ConversationEvent, 'run.started' | 'run.resumed'>(conversationKind, 'run.started', 'run.resumed'),
      filter(({ isOwn }) => isOwn),
      map(({ streamId, event }) => {
        const segment = event.type === 'run.started' ? 1 : event.segment;
        return new TakeRun(asId(streamId), event.runId, segment);
      }),
    );
  }

  @Saga()
  stopping(bus: Observable<object>): Observable<ICommand> {
    return bus.pipe(
      ofEvents<ConversationEvent, 'run.stopping'>(conversationKind, 'run.stopping'),
      map(({ event }) => new StopExecution(event.runKey)),
    );
  }
}
