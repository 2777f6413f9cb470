import { Controller, Query } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { answer, Caller, Serves } from '@app/http';
import { readActivity } from './activity.contract';
import { ActivityDto } from './activity.dto';
import type { ActivityOverviewView } from './activity.view';
import { GetActivity, GetActivityHandler } from './get-activity';

/** A user's present, recent and past activity (specification, "Activity"). */
@Controller()
export class ActivityController {
  constructor(private readonly queries: QueryBus) {}

  @Serves(readActivity)
  async overview(@Caller() { userId }: Caller, @Query() query: ActivityDto): Promise<ActivityOverviewView> {
    return answer(await this.queries.execute(new GetActivity(userId, query)));
  }
}

/** Handlers of the queries that the controller executes. */
export const activityHandlers = [GetActivityHandler];
