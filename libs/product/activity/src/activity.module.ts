import { Module, type DynamicModule } from '@nestjs/common';
import type { AnyProjection, Migration, RowClass } from '@app/read-store';
import { ActivityController } from './activity.controller';
import { activityMigrations, activityProjection, ActivityRow, type ToldKinds } from './activity.projection';
import { ActivityQueries } from './activity.queries';
import { ReadHistory } from './read-history';

@Module({})
export class ActivityModule {
  /** @param conversations a module that exports `ConversationPages` */
  static register(conversations: DynamicModule): DynamicModule {
    return {
      module: ActivityModule,
      imports: [conversations],
      controllers: [ActivityController],
      providers: [ActivityQueries, ReadHistory],
    };
  }
}

/** What the slice keeps in PostgreSQL. @param kinds of the streams of conversations, operations and automations */
export function activityReadModel(kinds: ToldKinds): ActivityReadModel {
  return { rows: [ActivityRow], migrations: activityMigrations, projections: [activityProjection(kinds)] };
}

interface ActivityReadModel {
  readonly rows: readonly RowClass[];
  readonly migrations: readonly Migration[];
  readonly projections: readonly AnyProjection[];
}
