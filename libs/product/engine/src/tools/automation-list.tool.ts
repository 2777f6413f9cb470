import { Injectable } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { automationState, behaviorText, ListAutomations, type AutomationView } from '@app/automations';
import { openOr, shortened, words, type JsonObject } from '@app/kernel';
import { object, optional, withoutOthers, type Shaped } from '@app/schema';
import type { CallContext, ToolResult } from '../tool';
import type { AutoDeclaration } from '../tool-declaration';

/** Characters of a rule in a list. */
const listedBehaviorLengthMax = 320;
/** Most automations that one call lists. */
const listedMax = 50;

const input = withoutOthers(object({ state: optional(automationState) }));
type Input = Shaped<typeof input>;

/** The user's rules, newest first; without a state all that are not archived. */
@Injectable()
export class AutomationList implements AutoDeclaration<Input> {
  readonly order = 60;
  readonly name = 'automation_list';
  readonly description = "The user's rules, newest first, with the revision that a change must name.";
  readonly input = input;
  readonly inputWords = words`{state?: enabled, paused or archived}`;
  readonly effect = 'none';
  readonly consent = 'auto';

  constructor(private readonly queries: QueryBus) {}

  async run({ state }: Input, { userId }: CallContext): Promise<ToolResult> {
    const query = state === undefined ? { limit: listedMax } : { limit: listedMax, state };
    const page = await this.queries.execute(new ListAutomations(userId, query));
    if (!page.ok) throw new Error('a page without a cursor was refused');
    const { data, total } = page.value;
    return { outcome: 'ok', result: { automations: data.map(listedOf), total } };
  }
}

function listedOf({
  id,
  name,
  state,
  revision,
  definition,
  nextRunAt,
  contractApprovalId,
}: AutomationView): JsonObject {
  const behavior = shortened(behaviorText(definition), listedBehaviorLengthMax);
  // The words of a user who has runs are open.
  const [given, prompt] = [openOr(name, null), openOr(definition.prompt, null)];
  return { automationId: id, name: given, state, revision, behavior, nextRunAt, contractApprovalId, prompt };
}
