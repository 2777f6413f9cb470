import { Global, Module, type DynamicModule } from '@nestjs/common';
import { Clock } from '@app/kernel';
import { ModelFaults } from '@app/runtime';
import { ClockMoves } from './clock-moves';
import { Issuer } from './issuer';
import { IssuerController } from './issuer.controller';
import { SandboxClock } from './sandbox-clock';
import { SandboxController } from './sandbox.controller';
import { SandboxFaults } from './sandbox-faults';

const clock = { provide: Clock, useExisting: SandboxClock };
const faults = { provide: ModelFaults, useExisting: SandboxFaults };

/**
 * What sandbox mode adds: the clock and the faults in every process, and the calls and the issuer where HTTP is served.
 * In any other mode it is not composed at all, so its paths are like any unknown ones.
 */
@Global()
@Module({})
export class SandboxModule {
  static register({ api }: { readonly api: boolean }): DynamicModule {
    return {
      module: SandboxModule,
      controllers: api ? [SandboxController, IssuerController] : [],
      providers: [SandboxClock, clock, SandboxFaults, faults, ...(api ? [Issuer, ClockMoves] : [])],
      exports: [clock, faults, ...(api ? [Issuer] : [])],
    };
  }
}
