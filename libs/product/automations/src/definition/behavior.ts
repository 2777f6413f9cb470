import { instantWords, renderContract } from '@app/consent';
import { unreachable } from '@app/kernel';
import cronstrue from 'cronstrue';
import type { AutomationDefinition, FiringPolicy, Schedule, Wake } from './automation-definition';
import { conditionWords } from '../condition/condition-words';
import type { SymbolOf } from './token-symbols';

/**
 * What an automation does, in whole plain sentences: schedule or events, condition, firing policy, and the bounds of its contract
 * (specification, "Automation (status view)"). Made of the definition alone, never by a model.
 *
 * @param symbolOf the provider's symbol of a token, or null: then the token is named by its id
 */
export function behaviorText(definition: AutomationDefinition, symbolOf: SymbolOf = () => null): string {
  const { firing, contract } = definition;
  const { when, condition } = ruleWords(definition, symbolOf);
  const whether = condition === null ? '' : `, if ${condition}`;
  const covered = contract === undefined ? null : renderContract(contract, symbolOf);
  return [
    `${capitalize(when)}${whether}, the task runs${triggerWords(definition)}.`,
    ...policySentences(firing),
    ...(covered === null ? [] : [`Once its contract is approved, this needs no further consent: ${covered}`]),
  ].join(' ');
}

/** What wakes a rule, and what must hold then, as parts of a sentence. */
export interface RuleWords {
  /** `every day at 09:00 (UTC)`; `when an event of type order.paid arrives`. */
  readonly when: string;
  /** `the price of NEAR is below $2`; null without a condition. However long the condition is. */
  readonly condition: string | null;
}

/**
 * When a rule acts, in words: what the user is asked about before its contract gives it authority (docs/decisions/automations.md).
 *
 * @param symbolOf as `behaviorText` takes it
 */
export function ruleWords(
  { wake, condition }: Pick<AutomationDefinition, 'wake' | 'condition'>,
  symbolOf: SymbolOf = () => null,
): RuleWords {
  return { when: whenWords(wake), condition: condition === null ? null : conditionWords(condition, symbolOf) };
}

/** `every minute, if the price of NEAR is below $2`: what comes after "It acts". @param symbolOf as `behaviorText` takes it */
export function actsWords(definition: Pick<AutomationDefinition, 'wake' | 'condition'>, symbolOf: SymbolOf): string {
  const { when, condition } = ruleWords(definition, symbolOf);
  return condition === null ? when : `${when}, if ${condition}`;
}

export interface Truncated {
  readonly text: string;
  readonly truncated: boolean;
}

/** A text of at most `lengthMax` code points: the beginning and an ellipsis where it is longer. */
export function truncate(text: string, lengthMax: number): Truncated {
  const points = [...text];
  if (points.length <= lengthMax) return { text, truncated: false };
  return { text: `${points.slice(0, lengthMax - 1).join('')}…`, truncated: true };
}

function whenWords(wake: Wake): string {
  if (wake.kind === 'schedule') return scheduleWords(wake.schedule);
  return `when an event of type ${joinWords(wake.types)} arrives`;
}

function scheduleWords(schedule: Schedule): string {
  switch (schedule.kind) {
    case 'cron':
      return `${cronWords(schedule.expression)} (${schedule.timezone})`;
    case 'every':
      return `every ${durationWords(schedule.seconds, 'one of')}`;
    case 'once':
      return `once, at ${instantWords(schedule.at)}`;
    default:
      return unreachable(schedule);
  }
}

/** Every day at 09:00; at 22:00, Monday through Friday. Quotes an expression that has no unambiguous words. */
function cronWords(expression: string): string {
  const quoted = `at the times of the cron expression "${expression}"`;
  const [, , day = '', month = '', weekday = ''] = expression.trim().split(/\s+/);
  const restricted = [day, month, weekday].filter((field) => !['*', '?'].includes(field));
  // Either of the two days will do, which the library's words leave open.
  if (restricted.includes(day) && restricted.includes(weekday)) return quoted;
  const words = wordsOf(expression);
  if (words === null) return quoted;
  const isTimeOfDay = /^At \d\d:\d\d/.test(words);
  return isTimeOfDay && restricted.length === 0 ? `every day ${lowerFirst(words)}` : lowerFirst(words);
}

function wordsOf(expression: string): string | null {
  try {
    return cronstrue.toString(expression, { use24HourTimeFormat: true, throwExceptionOnParseError: true });
  } catch {
    // The only way to ask: the library has no words for it.
    return null;
  }
}

function triggerWords({ condition, firing }: AutomationDefinition): string {
  const { trigger, maxOccurrences, endAt } = firing;
  const first = ', the first time only';
  // Without a condition every look is a match, and only the first one an edge.
  const edge = condition === null ? first : ', but not again while that stays so';
  const often = { match: '', edge, once: first }[trigger];
  const most = maxOccurrences === undefined ? '' : `, ${countOf(maxOccurrences, 'time')} at most`;
  return `${often}${most}${endAt === undefined ? '' : `, until ${instantWords(endAt)}`}`;
}

function policySentences({ cooldownSeconds, overlap, retryForSeconds }: FiringPolicy): readonly string[] {
  const rest = `After a run it rests for ${durationWords(cooldownSeconds, 'with count')}.`;
  const retry = `A run that cannot begin is tried again for ${durationWords(retryForSeconds, 'with count')}.`;
  return [
    ...(cooldownSeconds === 0 ? [] : [rest]),
    overlapSentence(overlap),
    retryForSeconds === 0 ? 'A run that cannot begin is not tried again.' : retry,
  ];
}

function overlapSentence(overlap: FiringPolicy['overlap']): string {
  switch (overlap) {
    case 'skip':
      return 'What comes up while a run is under way is skipped.';
    case 'coalesce':
      return 'What comes up while a run is under way leads to one run after it.';
    case 'queue':
      return 'What comes up while a run is under way waits its turn.';
    default:
      return unreachable(overlap);
  }
}

const units = [
  { seconds: 86_400, noun: 'day' },
  { seconds: 3600, noun: 'hour' },
  { seconds: 60, noun: 'minute' },
] as const;

/** `2 hours`, `90 seconds`; of one unit the noun alone after `every`. */
function durationWords(seconds: number, one: 'one of' | 'with count'): string {
  const unit = units.find((candidate) => seconds >= candidate.seconds && seconds % candidate.seconds === 0);
  const { noun, count } = unit
    ? { noun: unit.noun, count: seconds / unit.seconds }
    : { noun: 'second', count: seconds };
  return count === 1 && one === 'one of' ? noun : countOf(count, noun);
}

function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function joinWords(items: readonly string[]): string {
  const last = items.at(-1) ?? '';
  return items.length < 2 ? last : `${items.slice(0, -1).join(', ')} or ${last}`;
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
