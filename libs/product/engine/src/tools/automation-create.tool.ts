import {
  behaviorText,
  checkDefinition,
  isFinished,
  parseDefinition,
  pinnedTokens,
  revisionOf,
  ruleConsent,
  truncate,
  type AutomationDefinition,
  type Automations,
  type AutomationView,
} from '@app/automations';
import { canonicalText } from '@app/canonical';
import {
  asId,
  because,
  isJsonObject,
  parseUuid,
  reasons,
  type AutomationId,
  type Clock,
  type JsonObject,
  type JsonValue,
  type Refusal,
} from '@app/kernel';
import type { EngineCatalog } from '@app/runs';
import type { Token, WalletProvider } from '@app/wallets';
import { v5 as uuidV5 } from 'uuid';
import {
  failWith,
  type AskTool,
  type AutoTool,
  type FailedReview,
  type Reviewed,
  type Tool,
  type ToolResult,
} from '../tool';
import { createAutomationSchema, listAutomationsSchema, updateAutomationSchema } from './automation-schema';

/** Characters of a rule in a list. */
const listedBehaviorLengthMax = 320;
/** Automations that one call lists. */
const listedMax = 50;

interface Parts {
  readonly automations: Automations;
  readonly offer: EngineCatalog;
  readonly provider: WalletProvider;
  readonly clock: Clock;
}

/** The agent's tools for the user's automations. */
export function automationTools(parts: Parts): readonly Tool[] {
  return [automationCreate(parts), automationUpdate(parts), automationList(parts)];
}

/** `automation_create`: a rule that the user approves; its contract is asked for apart, and until then it has no authority. */
function automationCreate(parts: Parts): AskTool {
  return {
    name: 'automation_create',
    description:
      'Creates a rule that wakes by a schedule or an event, looks at its condition, and lets you run its prompt. The user must approve ' +
      'the rule first. A contract with bounds, approved apart, lets its runs make exactly those transfers without asking again.',
    inputSchema: createAutomationSchema,
    effect: 'repeatable',
    consent: 'ask',

    review: async (input) => {
      const definition = onlyMember(input, 'definition');
      if (definition === undefined) return refuse('the input must be {definition}');
      return reviewOf(parts, 'Create', definition);
    },

    run: async ({ approvalId, input }, { userId, cause }) => {
      const definition = onlyMember(input, 'definition');
      // Named by the approval: however often the call is made, it makes one.
      const automationId = asId<AutomationId>(uuidV5('automation', approvalId));
      const created = await parts.automations.create(userId, definition, cause, { automationId });
      return created.ok ? describeResult(created.value) : failWith(wordsFor(created.refusal));
    },
  };
}

/** `automation_update`: another definition for a rule, which the user approves. */
function automationUpdate(parts: Parts): AskTool {
  return {
    name: 'automation_update',
    description:
      'Gives a rule another definition, whole. The user must approve it first; whatever changes but the name, its contract is asked for anew, apart.',
    inputSchema: updateAutomationSchema,
    effect: 'repeatable',
    consent: 'ask',

    review: async (input, { userId }) => {
      const update = updateIn(input);
      if (update === null) return refuse('the input must be {automationId, revision, definition}');
      const found = await parts.automations.fold(userId, update.automationId);
      if (found === null) return refuse('there is no such automation');
      if (isFinished(found, parts.clock.now())) return refuse(wordsFor(because('automation_completed')));
      if (revisionOf(found) !== update.revision) return refuse(wordsFor(because('automation_changed')));
      return reviewOf(parts, 'Change', update.definition);
    },

    run: async ({ input }, { userId, cause }) => {
      const update = updateIn(input);
      if (update === null) return failWith('the input must be {automationId, revision, definition}');
      const { automationId, revision, definition } = update;
      const updated = await parts.automations.update(userId, automationId, { revision, definition }, cause);
      if (updated.ok) return describeResult(updated.value);
      // The call may have been cut off after it was done.
      const found = await parts.automations.get(userId, automationId);
      return found.ok && isNext(found.value, update)
        ? describeResult(found.value)
        : failWith(wordsFor(updated.refusal));
    },
  };
}

/** `automation_list`: the user's rules, newest first. */
function automationList({ automations }: Parts): AutoTool {
  return {
    name: 'automation_list',
    description: "The user's rules, newest first, with the revision that a change must name.",
    inputSchema: listAutomationsSchema,
    effect: 'repeatable',
    consent: 'auto',
    run: async (input, { userId }) => {
      const state = stateIn(input);
      if (state === null) return failWith('the input must be {state?: enabled, paused or archived}');
      const { rows, total } = await automations.list(userId, { state, before: null, limit: listedMax });
      return {
        outcome: 'ok',
        result: { automations: rows.slice(0, listedMax).map(({ view }) => listedOf(view)), total },
      };
    },
  };
}

/** What is wrong with a definition is told to the model; nobody is asked for what could not be done. */
async function reviewOf(
  { provider, offer, clock }: Parts,
  verb: string,
  value: JsonValue,
): Promise<Reviewed | FailedReview> {
  const parsed = parseDefinition(value);
  if (!parsed.ok) return refuse(wordsFor(parsed.refusal));
  const tokens = await tokensOf(provider, parsed.value);
  const checked = checkDefinition(parsed.value, { now: clock.now(), offer, tokens });
  if (!checked.ok) return refuse(wordsFor(checked.refusal));
  const symbolOf = (tokenId: string) => tokens.find((token) => token.tokenId === tokenId)?.symbol ?? null;
  const words = ruleConsent(verb, parsed.value, symbolOf);
  if (words === null) return refuse('the rule is too long for the user to be shown whole; make it simpler');
  // The reviewed input itself is what is agreed to; its contract is opened, with its own approval, when the rule is there.
  return { ok: true, walletId: null, contract: null, ...words };
}

/** The tokens that the contract pins and the condition watches, as far as the provider knows them. */
async function tokensOf(provider: WalletProvider, definition: AutomationDefinition): Promise<readonly Token[]> {
  const watched = (definition.condition?.bindings ?? []).flatMap(({ source }) =>
    'tokenId' in source ? [source.tokenId] : [],
  );
  const ids = new Set([...pinnedTokens(definition).map(({ tokenId }) => tokenId), ...watched]);
  const found = await Promise.all([...ids].map(async (tokenId) => provider.findToken(tokenId)));
  return found.filter((token) => token !== null);
}

/** The one member that an input may have. */
function onlyMember(input: JsonValue, name: string): JsonValue | undefined {
  return isJsonObject(input) && Object.keys(input).join() === name ? input[name] : undefined;
}

interface Update {
  readonly automationId: AutomationId;
  readonly revision: string;
  readonly definition: JsonValue;
}

function updateIn(input: JsonValue): Update | null {
  if (!isJsonObject(input)) return null;
  const { automationId, revision, definition, ...others } = input;
  const id = parseUuid<AutomationId>(automationId);
  if (id === null || typeof revision !== 'string' || definition === undefined || Object.keys(others).length > 0)
    return null;
  return { automationId: id, revision, definition };
}

/** Without a state: all that are not archived. Null: this is no such input. */
function stateIn(input: JsonValue): 'current' | AutomationView['state'] | null {
  if (!isJsonObject(input)) return null;
  const { state = 'current', ...others } = input;
  if (Object.keys(others).length > 0) return null;
  return (['current', 'enabled', 'paused', 'archived'] as const).find((one) => one === state) ?? null;
}

/** Whether the automation is what the update would have made of it. */
function isNext({ definition, definitionVersion }: AutomationView, update: Update): boolean {
  const parsed = parseDefinition(update.definition);
  return (
    parsed.ok &&
    update.revision.startsWith(`${definitionVersion - 1}.`) &&
    canonicalText(parsed.value) === canonicalText(definition)
  );
}

function describeResult({ id, revision, contractApprovalId }: AutomationView): ToolResult {
  const note =
    contractApprovalId === null
      ? {}
      : { note: 'The contract is asked for apart; it covers nothing before the user has approved it.' };
  return { outcome: 'ok', result: { automationId: id, revision, contractApprovalId, ...note } };
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
  const behavior = truncate(behaviorText(definition), listedBehaviorLengthMax).text;
  const listed = { automationId: id, name, state, revision, behavior, nextRunAt, contractApprovalId };
  return { ...listed, prompt: definition.prompt };
}

function wordsFor(refusal: Refusal): string {
  switch (refusal.kind) {
    case 'reason':
      return `${refusal.reason}: ${reasons[refusal.reason].title}`;
    case 'not_found':
      return 'there is no such automation';
    case 'invalid_input':
      return `not valid: ${refusal.issues.map(({ path, message }) => `${path} ${message}`).join('; ')}`;
  }
}

function refuse(error: string): FailedReview {
  return { ok: false, error };
}
