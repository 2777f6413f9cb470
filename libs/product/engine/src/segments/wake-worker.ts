import { Injectable } from '@nestjs/common';
import { Command, CommandHandler, Saga, type ICommand, type ICommandHandler } from '@nestjs/cqrs';
import { conversationKind, type ConversationEvent } from '@app/conversations';
import { ofEvents } from '@app/event-store';
import type { RunKey } from '@app/kernel';
import { map, type Observable } from 'rxjs';
import { RunWorker } from './run-worker';

/** Stops a run that is to stop, if this process's worker executes it. */
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

/** Notifies the worker of this process at once; polls, leases and notifications find any event that is missed here. */
@Injectable()
export class WorkerSagas {
  @Saga()
  stopping(bus: Observable<object>): Observable<ICommand> {
    return bus.pipe(
      ofEvents<ConversationEvent, 'run.stopping'>(conversationKind, 'run.stopping'),
      map(({ event }) => new StopExecution(event.runKey)),
    );
  }
}
