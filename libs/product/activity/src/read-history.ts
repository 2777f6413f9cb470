import { Injectable } from '@nestjs/common';
import { Cursors, pageOf } from '@app/http';
import { ok, type Result, type UserId } from '@app/kernel';
import type { Page } from '@app/schema';
import { ActivityQueries, type HistoryFilter } from './activity.queries';
import type { ActivityItem } from './activity.view';

/** Pages of a user's history. */
@Injectable()
export class ReadHistory {
  constructor(
    private readonly queries: ActivityQueries,
    private readonly cursors: Cursors,
  ) {}

  /**
   * Milestones, newest first, strictly older than the cursor's. A milestone never moves, so pages under way repeat and lose none.
   * Refused with `invalid_cursor` where the cursor is of another list, filter or user.
   */
  async page(
    userId: UserId,
    { origin, scope }: HistoryFilter,
    { cursor, limit }: { readonly cursor?: string | undefined; readonly limit: number },
  ): Promise<Result<Page<ActivityItem>>> {
    const binding = { list: 'activity', userId, filters: { origin: origin ?? null, scope } };
    const read = cursor === undefined ? null : this.cursors.read(binding, cursor);
    if (read?.ok === false) return read;
    const before = read === null ? null : Number(read.value[0]);
    const items = await this.queries.history(userId, { origin, scope }, before, limit + 1);
    return ok(
      pageOf(
        items,
        limit,
        ({ milestonePosition: _, ...item }) => item,
        ({ milestonePosition }) => this.cursors.mint(binding, [milestonePosition]),
      ),
    );
  }
}
