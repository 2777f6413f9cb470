import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { CreateAutomation, definitionShape } from '@app/automations';
import { asId, Clock, words, type AutomationId } from '@app/kernel';
import { EngineCatalog } from '@app/runs';
import { object, readLater, withoutOthers, type Shaped } from '@app/schema';
import { WalletProvider } from '@app/wallets';
import { v5 as uuidV5 } from 'uuid';
import { failWith } from '../tool';
import type { ApprovedCall, CallContext, FailedReview, Reviewed, ToolResult } from '../tool';
import type { AskDeclaration } from '../tool-declaration';
import { describeWritten, wordsFor } from './automation-words';
import { reviewDefinition } from './definition-review';

const input = withoutOthers(object({ definition: readLater(definitionShape) }));
type Input = Shaped<typeof input>;

/** Creates a rule that the user approves; its contract needs a separate approval, and has no authority before. */
@Injectable()
export class AutomationCreate implements AskDeclaration<Input> {
  readonly order = 40;
  readonly name = 'automation_create';
  readonly description =
    'Creates a rule that wakes by a schedule or an event, looks at its condition, and lets you run its prompt. The user must approve ' +
    'the rule first. A contract with bounds, approved apart, lets its runs make exactly those transfers without asking again.';
  readonly input = input;
  readonly inputWords = words`{definition}`;
  readonly effect = 'repeatable';
  readonly consent = 'ask';

  constructor(
    private readonly commands: CommandBus,
    private readonly provider: WalletProvider,
    private readonly offer: EngineCatalog,
    private readonly clock: Clock,
  ) {}

  async review({ definition }: Input): Promise<Reviewed | FailedReview> {
    const { provider, offer, clock } = this;
    return reviewDefinition(definition, null, { provider, offer, clock });
  }

  async run(
    { approvalId, input: { definition } }: ApprovedCall<Input>,
    { userId, cause }: CallContext,
  ): Promise<ToolResult> {
    // Derived from the approval, so that repeated calls create only one.
    const automationId = asId<AutomationId>(uuidV5('automation', approvalId));
    const created = await this.commands.execute(new CreateAutomation(userId, definition, cause, automationId));
    return created.ok ? describeWritten(created.value) : failWith(wordsFor(created.refusal));
  }
}
