import { Injectable } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { FoldedStates, Streams } from '@app/event-store';
import { asId, because, Clock, notFound, ok, refuse } from '@app/kernel';
import type { AutomationId, Cause, Instant, Result, UserId } from '@app/kernel';
import { EngineCatalog } from '@app/runs';
import { WalletProvider, type Token } from '@app/wallets';
import { v7 as uuidV7 } from 'uuid';
import { answerOf, viewOfState, type AutomationView } from '../views/automation.view';
import { ContractReviews } from '../authority/contract-review';
import { automationKind } from '../automation/automation.stream';
import type { AutomationDefinition } from '../definition/automation-definition';
import { checkDefinition, parseDefinition, pinnedTokens } from '../definition/definition-checks';
import { symbolsOf, watchedTokenIds } from '../condition/token-symbols';
import { DueTimes } from '../firing/due-times';
import { Samples } from '../sources/samples';
import { AutomationQuota } from '../automation/automation-quota';
import { revisionOf } from '../automation/automation.state';
import { isFinished } from '../automation/finished';
import { AutomationReader } from '../automation/automation-reader';

/** A definition that passed `check`, to be written. */
interface Checked {
  readonly userId: UserId;
  readonly automationId: AutomationId;
  readonly definition: AutomationDefinition;
  /** The result of `check`. */
  readonly tokens: readonly Token[];
  readonly at: Instant;
  readonly cause: Cause;
}

type Change = { readonly type: 'CreateAutomation' } | { readonly type: 'UpdateAutomation'; readonly revision: string };

/** Checks and writes definitions, for creation and update. All methods throw Unavailable. */
@Injectable()
export class DefinitionWriter {
  constructor(
    private readonly streams: Streams,
    private readonly reviews: ContractReviews,
    private readonly dueTimes: DueTimes,
    private readonly samples: Samples,
    private readonly provider: WalletProvider,
    private readonly offer: EngineCatalog,
    private readonly clock: Clock,
  ) {}

  /** The provider's data of the tokens that the definition names. Refuses with `automation_invalid` (`checkDefinition`). */
  async check(definition: AutomationDefinition, now: Instant): Promise<Result<readonly Token[]>> {
    const pinned = pinnedTokens(definition).map(({ tokenId }) => tokenId);
    const named = new Set([...pinned, ...watchedTokenIds(definition.condition)]);
    const found = await Promise.all([...named].map(async (tokenId) => this.provider.findToken(tokenId)));
    const tokens = found.filter((token) => token !== null);
    const checked = checkDefinition(definition, { now, offer: this.offer, tokens });
    return checked.ok ? ok(tokens) : checked;
  }

  /**
   * Writes the definition with a new activation, and opens the approval of its contract. Refuses as `ContractReviews.prepare` and the
   * decider do.
   */
  async write(change: Change, checked: Checked): Promise<Result<AutomationView>> {
    const { userId, automationId, definition, tokens, at, cause } = checked;
    const prepared = await this.reviews.prepare(definition, checked);
    if (!prepared.ok) return prepared;
    const review = prepared.value;
    const epoch = uuidV7();
    // Timers and sampling start before the append, so that no move of the clock skips a due time or an expiry.
    await this.dueTimes.schedule(automationId, definition, epoch, at, at);
    await this.samples.watch(userId, definition);
    const command = { ...change, userId, definition, symbols: symbolsOf(tokens), at, epoch, review };
    const done = await this.streams.decide(automationKind, automationId, command, cause, { visible: true });
    const opened = done.ok && done.value.events.some(({ type }) => type === 'approval.opened');
    if (review !== null && !opened) await this.reviews.drop(review);
    return done.ok ? answerOf(automationId, done.value.state, this.clock.now()) : refuse(done.refusal);
  }
}

/**
 * Creates an automation. Refuses, in this order, with `invalid_input`, `automation_invalid`, `automation_limit`, and
 * where the user cannot be asked about its contract.
 * @throws Unavailable
 */
export class CreateAutomation extends Command<Result<AutomationView>> {
  /**
   * @param definition not validated yet
   * @param automationId derived from the request, so that a repeated one returns the existing automation; absent: a new
   * id
   */
  constructor(
    readonly userId: UserId,
    readonly definition: unknown,
    readonly cause: Cause,
    readonly automationId?: AutomationId,
  ) {
    super();
  }
}

@CommandHandler(CreateAutomation)
class CreateAutomationHandler implements ICommandHandler<CreateAutomation> {
  constructor(
    private readonly states: FoldedStates,
    private readonly places: AutomationQuota,
    private readonly writer: DefinitionWriter,
    private readonly clock: Clock,
  ) {}

  async execute({ userId, definition, cause, automationId }: CreateAutomation): Promise<Result<AutomationView>> {
    const existing = automationId === undefined ? null : await this.findExisting(userId, automationId);
    if (existing !== null) return existing;
    const parsed = parseDefinition(definition);
    if (!parsed.ok) return parsed;
    const at = this.clock.now();
    const tokens = await this.writer.check(parsed.value, at);
    if (!tokens.ok) return tokens;
    const id = automationId ?? asId<AutomationId>(uuidV7());
    if (!(await this.places.reserve(userId, id))) return refuse(because('automation_limit'));
    const created = await this.writer.write(
      { type: 'CreateAutomation' },
      { userId, automationId: id, definition: parsed.value, tokens: tokens.value, at, cause },
    );
    if (!created.ok) await this.places.release(id);
    return created;
  }

  /** The existing automation; `not_found` where it is another user's, and null where none has the id. */
  private async findExisting(userId: UserId, automationId: AutomationId): Promise<Result<AutomationView> | null> {
    const { state } = await this.states.fresh(automationKind, automationId);
    if (state === null) return null;
    return state.userId === userId ? ok(viewOfState(automationId, state, this.clock.now())) : refuse(notFound);
  }
}

/**
 * Replaces an automation's definition by a new version, with a new activation. Refuses, in this order, with
 * `invalid_input`, `not_found`, `automation_completed` (archived, or completed), `automation_changed` (another
 * revision), `automation_invalid`, and where the user cannot be asked about its contract.
 * @throws Unavailable
 */
export class UpdateAutomation extends Command<Result<AutomationView>> {
  constructor(
    readonly given: {
      readonly userId: UserId;
      readonly automationId: AutomationId;
      readonly revision: string;
      /** Not validated yet. */
      readonly definition: unknown;
      readonly cause: Cause;
    },
  ) {
    super();
  }
}

@CommandHandler(UpdateAutomation)
class UpdateAutomationHandler implements ICommandHandler<UpdateAutomation> {
  constructor(
    private readonly reader: AutomationReader,
    private readonly writer: DefinitionWriter,
    private readonly clock: Clock,
  ) {}

  async execute({ given }: UpdateAutomation): Promise<Result<AutomationView>> {
    const { userId, automationId, revision, cause } = given;
    const parsed = insideOf('/definition', parseDefinition(given.definition));
    if (!parsed.ok) return parsed;
    const found = await this.reader.find(userId, automationId);
    if (found === null) return refuse(notFound);
    const at = this.clock.now();
    if (isFinished(found, at)) return refuse(because('automation_completed'));
    if (revisionOf(found) !== revision) return refuse(because('automation_changed'));
    const definition = parsed.value;
    const tokens = await this.writer.check(definition, at);
    if (!tokens.ok) return tokens;
    return this.writer.write(
      { type: 'UpdateAutomation', revision },
      { userId, automationId, definition, tokens: tokens.value, at, cause },
    );
  }
}

/** Prefixes the paths of a result's issues, because they are relative to a part of the input. */
function insideOf<Value>(path: string, result: Result<Value>): Result<Value> {
  if (result.ok || result.refusal.kind !== 'invalid_input') return result;
  const issues = result.refusal.issues.map((issue) => ({ ...issue, path: path + issue.path }));
  return refuse({ kind: 'invalid_input', issues });
}

export const definitionHandlers = [CreateAutomationHandler, UpdateAutomationHandler];
