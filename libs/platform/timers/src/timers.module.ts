import { Global, Module, type DynamicModule } from '@nestjs/common';
import { TimerFigures } from './timer-figures';
import { TimerWorker } from './timer-worker';
import { Timers } from './timers';

/** Timers for a whole process; a worker handles them too, from the end of its boot until it stops. */
@Global()
@Module({})
export class TimersModule {
  static register({ worker }: { readonly worker: boolean }): DynamicModule {
    return {
      module: TimersModule,
      providers: [Timers, TimerFigures, ...(worker ? [TimerWorker] : [])],
      exports: [Timers],
    };
  }
}
