import { FoldedStates } from '@app/event-store';
import { Database } from '@app/read-store';
import { Sealing } from '@app/runtime';

/** This process's work for deliveries, without its background work. */
export class WebhookWork {
  private readonly query = jest.spyOn(Database.prototype, 'query');
  private readonly open = jest.spyOn(Sealing.prototype, 'open');
  private readonly fold = jest.spyOn(FoldedStates.prototype, 'fresh');
  private readonly spies = [this.query, this.open, this.fold];

  /** The number of key lookups, opened secrets, and folds of this automation since the last count. */
  count(automationId: string) {
    const looked = this.query.mock.calls.filter(([sql]) => sql.includes('webhook_keys')).length;
    const folded = this.fold.mock.calls.filter(([, of]) => of === automationId).length;
    const opened = this.open.mock.calls.length;
    for (const spy of this.spies) spy.mockClear();
    return { looked, opened, folded };
  }

  /** Removes the spies. */
  stop(): void {
    for (const spy of this.spies) spy.mockRestore();
  }
}
