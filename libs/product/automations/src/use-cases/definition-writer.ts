import { Injectable } from '@nestjs/common';
import { Streams } from '@app/event-store';
import { Clock, ok, refuse, type AutomationId, type Cause, type Instant, type Result, type UserId } from '@app/kernel';
import { EngineCatalog } from '@app/runs';
import { WalletProvider, type Token } from '@app/wallets';
import { v7 as uuidV7 } from 'uuid';
import { answerOf, type AutomationView } from '../views/automation.view';
import { ContractReviews } from '../authority/contract-review';
import { automationKind } from '../automation/automation.stream';
import type { AutomationDefinition } from '../definition/automation-definition';
import { checkDefinition, pinnedTokens } from '../definition/definition-checks';
import { symbolsOf, watchedTokenIds } from '../condition/token-symbols';
import { DueTimes } from '../firing/due-times';
import { Samples } from '../sources/samples';

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

  /**
   * The provider's data of the tokens that the definition names. Refuses with `automation_invalid` (`checkDefinition`).
   */
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
