import { Module } from '@nestjs/common';
import type { AnyProjection, Migration, RowClass } from '@app/read-store';
import { ActivityController, activityHandlers } from './activity.controller';
import { activityMigrations, activityProjection, ActivityRow, type ToldKinds } from './activity.projection';

@Module({ controllers: [ActivityController], providers: activityHandlers })
export class ActivityModule {}

/** The slice's tables and projections in PostgreSQL. @param kinds the kinds of streams of conversations, operations and automations */
export function activityReadModel(kinds: ToldKinds): ActivityReadModel {
  return { rows: [ActivityRow], migrations: activityMigrations, projections: [activityProjection(kinds)] };
}

interface ActivityReadModel {
  readonly rows: readonly RowClass[];
  readonly migrations: readonly Migration[];
  readonly projections: readonly AnyProjection[];
}
