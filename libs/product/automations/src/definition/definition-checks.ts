import { usesPerOccurrenceOf, type Contract, type PinnedToken } from '@app/consent';
import { ok, because, refuse, unreachable, type Result, type Instant, type JsonObject } from '@app/kernel';
import { read } from '@app/schema';
import { Profile, resolveProfile, type EngineCatalog } from '@app/runs';
import { definitionBounds, type AutomationDefinition, type FiringPolicy, type Schedule } from './automation-definition';
import { definitionShape } from './definition.schema';
import { unboundNames, type Condition } from '../condition/condition';
import { isCronExpression, nextDue } from './schedule';
import { watchedTokenIds } from '../condition/token-symbols';
import { isZone } from './zones';

/**
 * Parses a definition from JSON, strictly, as far as a schema can check it; `checkDefinition` checks whether it can run
 * as written. The result is stored and shown: `retryForSeconds` and the contract's `usesPerOccurrence` are filled in,
 * and instants are in UTC with milliseconds.
 *
 * @returns the definition, or `invalid_input` with up to 32 issues, whose pointers are relative to the definition
 */
export function parseDefinition(value: unknown): Result<AutomationDefinition> {
  const found = read(definitionShape, value);
  if (!found.ok) return found;
  const { retryForSeconds = definitionBounds.retrySecondsDefault } = found.value.firing;
  const { contract, ...rest } = found.value;
  const firing = { ...rest.firing, retryForSeconds };
  return ok({ ...rest, firing, ...(contract === undefined ? {} : { contract: withDefaults(contract) }) });
}

/** Fills in `usesPerOccurrence`, because the consent text and the fingerprint must contain it. */
function withDefaults(contract: Contract): Contract {
  if (contract.bounds === undefined) return contract;
  const usesPerOccurrence = usesPerOccurrenceOf(contract.bounds);
  return { ...contract, bounds: { ...contract.bounds, usesPerOccurrence } };
}

/** The circumstances that a definition is checked against. */
export interface Surroundings {
  readonly now: Instant;
  readonly offer: EngineCatalog;
  /** The provider's data of the tokens that contract and condition name, without those that it does not know. */
  readonly tokens: readonly { readonly tokenId: string; readonly decimals: number | null }[];
}

/** The tokens that a definition's contract pins, each once. They are requested from the provider before the definition is checked. */
export function pinnedTokens({ contract }: AutomationDefinition): readonly PinnedToken[] {
  const pinned = contract === undefined ? [] : pinnedIn(contract);
  return pinned.filter(({ tokenId }, index) => pinned.findIndex((other) => other.tokenId === tokenId) === index);
}

/**
 * Whether a definition that its schema accepts can run as written; else `automation_invalid`
 * (docs/decisions/automations.md): an unparseable cron expression, an unknown zone, a schedule that never fires, an end
 * or a contract's end in the past, a rule that refers to an unbound name or to a token that no source knows, a model or
 * tool that the deployment lacks, a contract over tokens that no wallet can hold.
 */
export function checkDefinition(definition: AutomationDefinition, surroundings: Surroundings): Result<true> {
  const { wake, condition, firing, profile, contract } = definition;
  const runs =
    !isOver(firing, surroundings.now) &&
    (wake.kind === 'event' || everFires(wake.schedule, firing, surroundings.now)) &&
    (condition === null || isReadable(condition, surroundings)) &&
    (profile === undefined || isOffered(profile, surroundings.offer)) &&
    (contract === undefined || isHoldable(contract, surroundings));
  return runs ? ok(true) : refuse(because('automation_invalid'));
}

function isReadable(condition: Condition, { tokens }: Surroundings): boolean {
  const isKnown = (tokenId: string): boolean => tokens.some((token) => token.tokenId === tokenId);
  return unboundNames(condition).length === 0 && watchedTokenIds(condition).every(isKnown);
}

function isOver({ endAt }: FiringPolicy, now: Instant): boolean {
  return endAt !== undefined && endAt <= now;
}

/** Whether the schedule is ever due, and before the policy ends. */
function everFires(schedule: Schedule, { endAt }: FiringPolicy, now: Instant): boolean {
  if (!isTimely(schedule)) return false;
  const first = nextDue(schedule, now, now);
  return first !== null && (endAt === undefined || first < endAt);
}

function isTimely(schedule: Schedule): boolean {
  switch (schedule.kind) {
    case 'cron':
      return isCronExpression(schedule.expression) && isZone(schedule.timezone);
    case 'every':
    case 'once':
      return true;
    default:
      return unreachable(schedule);
  }
}

/** Whether a run with this profile would be admitted now; at each firing the deployment's agent at that time applies. */
function isOffered(profile: JsonObject, offer: EngineCatalog): boolean {
  const asked = read(Profile, profile);
  return asked.ok && resolveProfile(asked.value, offer).ok;
}

function isHoldable(contract: Contract, { now, tokens }: Surroundings): boolean {
  if (contract.bounds !== undefined && contract.bounds.notAfter <= now) return false;
  return pinnedIn(contract).every(({ tokenId, decimals }) =>
    tokens.some((token) => token.tokenId === tokenId && token.decimals === decimals),
  );
}

function pinnedIn({ actions }: Contract): readonly PinnedToken[] {
  const choices = actions.flatMap((action) =>
    action.kind === 'swap' ? [action.input, action.output] : [action.input],
  );
  return choices.flatMap((choice) => ('pinned' in choice ? [choice.pinned] : []));
}
