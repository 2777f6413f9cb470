import { Module, type DynamicModule, type Type } from '@nestjs/common';
import { Configuration } from '@app/runtime';
import { Cursors } from './operation/cursors';
import { Draining } from './draining';
import { ReadinessChecks } from './readiness';
import { ServiceController } from './service.controller';

/** The parts of the HTTP core that every slice can inject. */
@Module({})
export class HttpModule {
  /** Creates a root module around the application's own. Throws when no secret key is configured. */
  static around(root: DynamicModule | Type, configuration: Configuration): DynamicModule {
    const secret = configuration.env.PARLEY_SECRET_KEY;
    if (secret === undefined) throw new Error('PARLEY_SECRET_KEY is not set');
    return {
      module: HttpModule,
      global: true,
      imports: [root],
      controllers: [ServiceController],
      providers: [
        { provide: Cursors, useValue: new Cursors(secret) },
        { provide: Configuration, useValue: configuration },
        Draining,
        ReadinessChecks,
      ],
      exports: [Cursors, Draining, ReadinessChecks],
    };
  }
}
