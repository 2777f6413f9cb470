import { Injectable } from '@nestjs/common';
import { FoldedStates, Streams } from '@app/event-store';
import {
  asId,
  because,
  Clock,
  notFound,
  ok,
  refuse,
  type AutomationId,
  type Cause,
  type Instant,
  type Result,
  type UserId,
} from '@app/kernel';
import { EngineCatalog } from '@app/runs';
import { WalletProvider, type Token } from '@app/wallets';
import { v7 as uuidV7 } from 'uuid';
import type { AutomationDefinition } from '../definition/automation-definition';
import { AutomationQuota } from './automation-quota';
import type { CreateAutomation, UpdateAutomation } from './automation.commands';
import { revisionOf, type Automation } from './automation.state';
import { automationKind } from './automation.stream';
import { viewOfRow, viewOfState, type AutomationView } from '../api/automation.view';
import { AutomationQueries, type StateFilter } from '../api/automations.queries';
import { ContractReviews } from '../authority/contract-review';
import { checkDefinition, pinnedTokens } from '../definition/definition-checks';
import { parseDefinition } from '../definition/definition-parser';
import { isFinished } from './finished';
import { DueTimes } from '../firing/due-times';
import { Samples } from '../sources/samples';
import { symbolsOf, watchedTokenIds } from '../definition/token-symbols';

/** A write of a definition, on its way. */
interface Defining {
  readonly userId: UserId;
  readonly automationId: AutomationId;
  readonly definition: AutomationDefinition;
  readonly at: Instant;
  readonly tokens: readonly Token[];
  readonly cause: Cause;
}

export interface AutomationsPage {
  readonly state: StateFilter;
  /** A sort key: strictly before it. */
  readonly before: number | null;
  readonly limit: number;
}

/** An automation of a list, and the key that it is sorted by. */
interface ListedView {
  readonly view: AutomationView;
  readonly openedPosition: number;
}

/** Automations as their users define them (docs/decisions/automations.md). All throw Unavailable. */
@Injectable()
export class Automations {
  constructor(
    private readonly streams: Streams,
    private readonly states: FoldedStates,
    private readonly clock: Clock,
    private readonly queries: AutomationQueries,
    private readonly reviews: ContractReviews,
    private readonly places: AutomationQuota,
    private readonly dueTimes: DueTimes,
    private readonly samples: Samples,
    private readonly provider: WalletProvider,
    private readonly offer: EngineCatalog,
  ) {}

  /**
   * `automations.create`. Refuses, in this order, with `invalid_input`, `automation_invalid`, `automation_limit`.
   * @param options an id that was derived from what asked for the automation: asked again, it answers the one that there is
   */
  async create(
    userId: UserId,
    definition: unknown,
    cause: Cause,
    options: { readonly automationId?: AutomationId } = {},
  ): Promise<Result<AutomationView>> {
    const chosen = options.automationId;
    if (chosen !== undefined && (await this.exists(chosen))) return this.get(userId, chosen);
    const parsed = parseDefinition(definition);
    if (!parsed.ok) return parsed;
    const at = this.clock.now();
    const checked = await this.check(parsed.value, at);
    if (!checked.ok) return checked;
    const automationId = chosen ?? asId<AutomationId>(uuidV7());
    if (!(await this.places.reserve(userId, automationId))) return refuse(because('automation_limit'));
    const defining = { userId, automationId, definition: parsed.value, at, tokens: checked.value, cause };
    const review = await this.reviews.prepare(parsed.value, defining);
    const epoch = uuidV7();
    const created = review.ok
      ? await this.record(defining, {
          type: 'CreateAutomation',
          ...writeDefinition(defining),
          epoch,
          review: review.value,
        })
      : review;
    if (!created.ok) await this.places.release(automationId);
    return created;
  }

  /**
   * `automations.update`: another version, and a new activation. Refuses, in this order, with `invalid_input`, `not_found`,
   * `automation_completed` (archived, or finished), `automation_changed` (another revision), `automation_invalid`.
   */
  async update(
    userId: UserId,
    automationId: AutomationId,
    { revision, definition }: { readonly revision: string; readonly definition: unknown },
    cause: Cause,
  ): Promise<Result<AutomationView>> {
    const parsed = insideOf('/definition', parseDefinition(definition));
    if (!parsed.ok) return parsed;
    const found = await this.fold(userId, automationId);
    if (found === null) return refuse(notFound);
    const at = this.clock.now();
    if (isFinished(found, at)) return refuse(because('automation_completed'));
    if (revisionOf(found) !== revision) return refuse(because('automation_changed'));
    const checked = await this.check(parsed.value, at);
    if (!checked.ok) return checked;
    const defining = { userId, automationId, definition: parsed.value, at, tokens: checked.value, cause };
    const review = await this.reviews.prepare(parsed.value, defining);
    if (!review.ok) return review;
    const command = {
      type: 'UpdateAutomation',
      ...writeDefinition(defining),
      revision,
      epoch: uuidV7(),
      review: review.value,
    } as const;
    return this.record(defining, command);
  }

  /** `automations.get`: the automation as of now, folded from its stream. */
  async get(userId: UserId, automationId: AutomationId): Promise<Result<AutomationView>> {
    const automation = await this.fold(userId, automationId);
    return automation === null ? refuse(notFound) : ok(viewOfState(automationId, automation, this.clock.now()));
  }

  /** The user's automation as of now; null when it is none of the user's. */
  async fold(userId: UserId, automationId: AutomationId): Promise<Automation | null> {
    const { state } = await this.states.current(automationKind, automationId);
    return state?.userId === userId ? state : null;
  }

  /** A page of `automations.list`, newest first: one row more than `limit` tells that there is more. */
  async list(
    userId: UserId,
    { state, before, limit }: AutomationsPage,
  ): Promise<{ readonly rows: readonly ListedView[]; readonly total: number }> {
    const [rows, total] = await Promise.all([
      this.queries.list(userId, state, before, limit + 1),
      this.queries.total(userId, state),
    ]);
    const now = this.clock.now();
    return { rows: rows.map((row) => ({ view: viewOfRow(row, now), openedPosition: row.openedPosition })), total };
  }

  private async exists(automationId: AutomationId): Promise<boolean> {
    return (await this.states.current(automationKind, automationId)).state !== null;
  }

  /** Answers what the provider says of the tokens that the definition names. */
  private async check(definition: AutomationDefinition, now: Instant): Promise<Result<readonly Token[]>> {
    const pinned = pinnedTokens(definition).map(({ tokenId }) => tokenId);
    const named = new Set([...pinned, ...watchedTokenIds(definition.condition)]);
    const found = await Promise.all([...named].map(async (tokenId) => this.provider.findToken(tokenId)));
    const tokens = found.filter((token) => token !== null);
    const checked = checkDefinition(definition, { now, offer: this.offer, tokens });
    return checked.ok ? ok(tokens) : checked;
  }

  /** The timers come first, so that no clock move passes a due time or an expiry by. */
  private async record(
    { userId, automationId, definition, at, cause }: Defining,
    command: CreateAutomation | UpdateAutomation,
  ): Promise<Result<AutomationView>> {
    await this.dueTimes.schedule(automationId, definition, command.epoch, at, at);
    await this.samples.watch(userId, definition);
    const done = await this.streams.decide(automationKind, automationId, command, cause, { visible: true });
    const opened = done.ok && done.value.events.some(({ type }) => type === 'approval.opened');
    if (command.review !== null && !opened) await this.reviews.drop(command.review);
    if (!done.ok) return refuse(done.refusal);
    return this.get(userId, automationId);
  }
}

function writeDefinition({ userId, definition, at, tokens }: Defining) {
  return { userId, definition, symbols: symbolsOf(tokens), at };
}

/** A result whose issues are in a part of the input. */
function insideOf<Value>(path: string, result: Result<Value>): Result<Value> {
  if (result.ok || result.refusal.kind !== 'invalid_input') return result;
  const issues = result.refusal.issues.map((issue) => ({ ...issue, path: path + issue.path }));
  return refuse({ kind: 'invalid_input', issues });
}
