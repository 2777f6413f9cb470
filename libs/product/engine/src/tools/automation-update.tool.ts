import { Injectable } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import {
  AutomationReader,
  definitionShape,
  GetAutomation,
  isFinished,
  openDefinition,
  parseDefinition,
  revisionOf,
  symbolIn,
  UpdateAutomation,
  type AutomationView,
} from '@app/automations';
import { canonicalText } from '@app/canonical';
import { because, Clock, words, type AutomationId } from '@app/kernel';
import { EngineCatalog } from '@app/runs';
import { inBrief, object, readLater, text, uuid, withoutOthers, type Shaped } from '@app/schema';
import { WalletProvider } from '@app/wallets';
import { failWith } from '../tool';
import type { ApprovedCall, CallContext, FailedReview, Reviewed, ToolResult } from '../tool';
import type { AskDeclaration } from '../tool-declaration';
import { describeWritten, wordsFor } from './automation-words';
import { reviewDefinition } from './definition-review';

/** The shape of a definition is described once, with `automation_create`. */
const wholeDefinition = object({}, { brief: 'Whole, as automation_create takes it' });

const input = withoutOthers(
  object({
    automationId: uuid<AutomationId>(),
    revision: text({ brief: 'As automation_list shows it' }),
    definition: inBrief(readLater(definitionShape), wholeDefinition),
  }),
);
type Input = Shaped<typeof input>;

/** Replaces the definition of a rule, once the user approves. */
@Injectable()
export class AutomationUpdate implements AskDeclaration<Input> {
  readonly order = 50;
  readonly name = 'automation_update';
  readonly description =
    'Gives a rule another definition, whole. The user must approve it first; whatever changes but the name, its contract is asked for again, apart.';
  readonly input = input;
  readonly inputWords = words`{automationId, revision, definition}`;
  readonly effect = 'repeatable';
  readonly consent = 'ask';

  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly reader: AutomationReader,
    private readonly provider: WalletProvider,
    private readonly offer: EngineCatalog,
    private readonly clock: Clock,
  ) {}

  async review(
    { automationId, revision, definition }: Input,
    { userId }: CallContext,
  ): Promise<Reviewed | FailedReview> {
    const { reader, provider, offer, clock } = this;
    const found = await reader.find(userId, automationId);
    if (found === null) return { ok: false, error: words`there is no such automation` };
    if (isFinished(found, clock.now())) return { ok: false, error: wordsFor(because('automation_completed')) };
    if (revisionOf(found) !== revision) return { ok: false, error: wordsFor(because('automation_changed')) };
    // The revision identifies one definition, and the decider refuses to update any other, so the description shows exactly what is
    // replaced.
    const present = openDefinition(found.definition);
    // Its words were erased, so it has finished: what it is cannot be shown to its user any more.
    if (present === null) return { ok: false, error: wordsFor(because('automation_completed')) };
    const replaced = { definition: present, symbolOf: symbolIn(found.symbols) };
    return reviewDefinition(definition, replaced, { provider, offer, clock });
  }

  async run({ input: update }: ApprovedCall<Input>, { userId, cause }: CallContext): Promise<ToolResult> {
    const { automationId, revision, definition } = update;
    const command = new UpdateAutomation({ userId, automationId, revision, definition, cause });
    const updated = await this.commands.execute(command);
    if (updated.ok) return describeWritten(updated.value);
    // The call may have been cut off after its effect.
    const found = await this.queries.execute(new GetAutomation(userId, automationId));
    return found.ok && isNext(found.value, update) ? describeWritten(found.value) : failWith(wordsFor(updated.refusal));
  }
}

/** Whether the automation is the result of that update. */
function isNext({ definition, definitionVersion }: AutomationView, update: Input): boolean {
  const parsed = parseDefinition(update.definition);
  return (
    parsed.ok &&
    update.revision.startsWith(`${definitionVersion - 1}.`) &&
    canonicalText(parsed.value) === canonicalText(definition)
  );
}
