import { Injectable } from '@nestjs/common';
import { Command, CommandHandler, ofType, Saga, type ICommand, type ICommandHandler } from '@nestjs/cqrs';
import { map, type Observable } from 'rxjs';
import type { Progress } from '../projecting/progress';
import { ReadModelsAdvanced } from '../projecting/projection-runner';
import { ReadGate } from './read-gate';

/** Releases everything in this process that waits for the read models to pass the position. */
class OpenReadGate extends Command<void> {
  constructor(readonly progress: Progress) {
    super();
  }
}

@CommandHandler(OpenReadGate)
export class OpenReadGateHandler implements ICommandHandler<OpenReadGate> {
  constructor(private readonly gate: ReadGate) {}

  async execute({ progress }: OpenReadGate): Promise<void> {
    this.gate.noteProjected(progress);
  }
}

@Injectable()
export class ReadGateSagas {
  /** Faster than the notification that opens the gates of other processes. */
  @Saga()
  projected(bus: Observable<object>): Observable<ICommand> {
    return bus.pipe(
      ofType(ReadModelsAdvanced),
      map(({ progress }) => new OpenReadGate(progress)),
    );
  }
}
