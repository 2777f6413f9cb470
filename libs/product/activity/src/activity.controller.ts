import { Controller, Query } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { answer, Caller, Serves } from '@app/http';
import { readActivity } from './activity.contract';
import { ActivityDto } from './activity.dto';
import type { ActivityOverviewView } from './activity.view';
import { GetActivity, GetActivityHandler } from './get-activity';

/** What a user's agent does, did lately, and ever did (specification, "Activity"). */
@Controller()
export class ActivityController {
  constructor(private readonly queries: QueryBus) {}

  @Serves(readActivity)
  async overview(@Caller() { userId }: Caller, @Query() query: ActivityDto): Promise<ActivityOverviewView> {
    return answer(await this.queries.execute(new GetActivity(userId, query)));
  }
}

/** What handles the commands and queries that it executes. */
export const activityHandlers = [GetActivityHandler];
