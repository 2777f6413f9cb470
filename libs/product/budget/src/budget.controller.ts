import { Controller, Query } from '@nestjs/common';
import { answer, Caller, Cursors, pageOf, Serves } from '@app/http';
import type { UserId } from '@app/kernel';
import type { EntryPlace } from './budget-entries';
import { ListBudgetEntriesDto } from './budget.dto';
import { BudgetQueries, type Period } from './budget.queries';
import { BudgetEntryPage } from './budget.schema';
import type { BudgetView } from './budget.view';
import { Budgets } from './budgets';
import { readBudget, listBudgetEntries } from './budget.contract';

@Controller()
export class BudgetController {
  constructor(
    private readonly budgets: Budgets,
    private readonly queries: BudgetQueries,
    private readonly cursors: Cursors,
  ) {}

  /** The headroom that admission checks, folded from the stream, so that it is never behind. */
  @Serves(readBudget)
  async budget(@Caller() { userId }: Caller): Promise<BudgetView> {
    return this.budgets.headroom(userId);
  }

  /** Every cent of a snapshot: what `reserved` entries add up to less `released` ones is held, and `spent` ones are spent. */
  @Serves(listBudgetEntries)
  async entries(@Caller() { userId }: Caller, @Query() query: ListBudgetEntriesDto): Promise<BudgetEntryPage> {
    const { cursor, limit, periodKind = 'day' } = query;
    const binding = { list: 'budget.entries', userId, filters: { periodKind } };
    const place = cursor === undefined ? null : placeOf(answer(this.cursors.read(binding, cursor)));
    // A list that was begun in a period stays in it, also past midnight.
    const name = place?.name ?? (await this.periodNow(userId, periodKind));
    const entries = await this.queries.entries(userId, { kind: periodKind, name }, place, limit + 1);
    return pageOf(
      entries,
      limit,
      ({ at, runId, kind, amountCents }) => ({ at, runId, kind, amountCents }),
      ({ position, part }) => this.cursors.mint(binding, [name, position, part]),
    );
  }

  private async periodNow(userId: UserId, kind: Period['kind']): Promise<string> {
    return (await this.budgets.periods(userId))[kind];
  }
}

/** The sort keys that a cursor of `entries` was minted with. */
function placeOf([name, position, part]: readonly unknown[]): EntryPlace & Pick<Period, 'name'> {
  return { name: String(name), position: Number(position), part: Number(part) };
}
