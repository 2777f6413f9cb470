import { Module, type DynamicModule } from '@nestjs/common';
import { Configuration } from '@app/runtime';
import { ReferenceController } from './reference.controller';
import { ReferenceSite, type EventsDocument } from './reference-site';

/** `GET /docs`, for processes that serve HTTP. */
@Module({})
export class ReferenceModule {
  /** @param eventsDocument creates the AsyncAPI document, which the page of events shows */
  static register(eventsDocument: EventsDocument): DynamicModule {
    const site = {
      provide: ReferenceSite,
      useFactory: (configuration: Configuration) => new ReferenceSite(configuration, eventsDocument),
      inject: [Configuration],
    };
    return { module: ReferenceModule, controllers: [ReferenceController], providers: [site] };
  }
}
