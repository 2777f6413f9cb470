import { renderContract } from '@app/consent';
import {
  capitalized,
  instantWords,
  isSpelled,
  joined,
  quotedExactly,
  shortened,
  spelled,
  uncapitalized,
  unreachable,
  words,
  type Words,
} from '@app/kernel';
import cronstrue from 'cronstrue';
import type { FiringPolicy, Schedule, StoredDefinition, Wake } from './automation-definition';
import { conditionWords, type ConditionStyle } from '../condition/condition-words';
import type { SymbolOf } from '../condition/token-symbols';

/**
 * The behavior of an automation in whole plain sentences: schedule or events, condition, firing policy, and the bounds
 * of its contract (specification, "Automation (status view)"). Derived from the definition alone, never by a model;
 * texts of the definition's author are quoted.
 *
 * @param symbolOf the provider's symbol of a token, or null: the token is then named by its id
 * @param quotedLengthMax maximum length of each quotation, in code points; no limit by default
 */
export function behaviorText(
  definition: StoredDefinition,
  symbolOf: SymbolOf = () => null,
  quotedLengthMax = Infinity,
): Words {
  const { firing, contract } = definition;
  const acts = actsWords(definition, { symbolOf, quotedLengthMax });
  const covered = contract === undefined ? null : renderContract(contract, symbolOf);
  return joined(
    [
      words`${capitalized(acts)}, the task runs${triggerWords(definition)}.`,
      ...policySentences(firing),
      ...(covered === null ? [] : [words`Once its contract is approved, this needs no further consent: ${covered}`]),
    ],
    ' ',
  );
}

/**
 * When a rule acts, in words that may follow "It acts": `every day at 09:00 (UTC), if the price of NEAR is below $2`;
 * `when an event of type “order.paid” arrives`. Names the whole condition, however long it is.
 */
export function actsWords(
  { wake, condition }: Pick<StoredDefinition, 'wake' | 'condition'>,
  style: ConditionStyle,
): Words {
  const when = whenWords(wake, style.quotedLengthMax);
  return condition === null ? when : words`${when}, if ${conditionWords(condition, style)}`;
}

/** `actsWords` without limit, followed by the age limits of the condition's values: `…, by values at most 60 seconds old`. */
export function actsExactly(definition: Pick<StoredDefinition, 'wake' | 'condition'>, symbolOf: SymbolOf): Words {
  const acts = actsWords(definition, { symbolOf, quotedLengthMax: Infinity });
  const { condition } = definition;
  if (condition === null) return acts;
  const ages = joined(
    condition.bindings.map(({ maxAgeSeconds }) => words`${maxAgeSeconds}`),
    ' and ',
  );
  const { skewSeconds } = condition;
  const skew = skewSeconds === undefined ? words`` : words` and ${skewSeconds} seconds apart`;
  return words`${acts}, by values at most ${ages} seconds old${skew}`;
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

/** A sentence of ours of at most `lengthMax` code points: a quotation that is cut is closed. */
export function shortenedWords(text: Words, lengthMax: number): Truncated {
  const short = shortened(text, lengthMax);
  return { text: short, truncated: short !== text };
}

function whenWords(wake: Wake, quotedLengthMax: number): Words {
  if (wake.kind === 'schedule') return scheduleWords(wake.schedule);
  const types = wake.types.map((type) => quotedExactly(type, quotedLengthMax));
  return words`when an event of type ${joined(types, ' or ')} arrives`;
}

function scheduleWords(schedule: Schedule): Words {
  switch (schedule.kind) {
    case 'cron':
      return words`${cronWords(schedule.expression)} (${spelled(schedule.timezone, 'zone')})`;
    case 'every':
      return words`every ${durationWords(schedule.seconds, 'one of')}`;
    case 'once':
      return words`once, at ${instantWords(schedule.at)}`;
    default:
      return unreachable(schedule);
  }
}

/** Every day at 09:00; at 22:00, Monday through Friday. Quotes the expression if the words would be ambiguous. */
function cronWords(expression: string): Words {
  const asWritten = words`at the times of the cron expression ${quotedExactly(expression, Infinity)}`;
  if (!expression.trim().split(/\s+/).every(isEven)) return asWritten;
  const [, , day = '', month = '', weekday = ''] = expression.trim().split(/\s+/);
  const restricted = [day, month, weekday].filter((field) => !['*', '?'].includes(field));
  // Cron fires on either day, which the library's words leave unclear.
  if (restricted.includes(day) && restricted.includes(weekday)) return asWritten;
  const times = wordsOf(expression);
  if (times === null || !isSpelled(times, 'times')) return asWritten;
  const isTimeOfDay = /^At \d\d:\d\d/.test(times);
  const told = uncapitalized(spelled(times, 'times'));
  return isTimeOfDay && restricted.length === 0 ? words`every day ${told}` : told;
}

/**
 * Whether a field's steps are evenly spaced across its end, as "every 5 minutes" implies: other steps begin again with
 * the next hour, day, week or month, and leave a shorter interval there.
 */
function isEven(field: string, index: number): boolean {
  if (!field.includes('/')) return true;
  const step = /^\*\/(\d{1,2})$/.exec(field)?.[1];
  const range = [60, 24][index];
  return step !== undefined && range !== undefined && range % Number(step) === 0;
}

function wordsOf(expression: string): string | null {
  try {
    return cronstrue.toString(expression, { use24HourTimeFormat: true, throwExceptionOnParseError: true });
  } catch {
    // The library throws if it has no words for an expression; it offers no other way to find out.
    return null;
  }
}

function triggerWords({ condition, firing }: Pick<StoredDefinition, 'condition' | 'firing'>): Words {
  const { trigger, maxOccurrences, endAt } = firing;
  const first = words`, the first time only`;
  // Without a condition every evaluation is a match, and only the first one is an edge.
  const edge = condition === null ? first : words`, but not again while that stays so`;
  const often = { match: words``, edge, once: first }[trigger];
  const most = maxOccurrences === undefined ? words`` : words`, ${countOf(maxOccurrences, 'time')} at most`;
  return words`${often}${most}${endAt === undefined ? words`` : words`, until ${instantWords(endAt)}`}`;
}

function policySentences({ cooldownSeconds, overlap, retryForSeconds }: FiringPolicy): readonly Words[] {
  const rest = words`After a run it rests for ${durationWords(cooldownSeconds, 'with count')}.`;
  const retry = words`A run that cannot begin is tried again for ${durationWords(retryForSeconds, 'with count')}.`;
  return [
    ...(cooldownSeconds === 0 ? [] : [rest]),
    overlapSentence(overlap),
    retryForSeconds === 0 ? words`A run that cannot begin is not tried again.` : retry,
  ];
}

function overlapSentence(overlap: FiringPolicy['overlap']): Words {
  switch (overlap) {
    case 'skip':
      return words`What comes up while a run is under way is skipped.`;
    case 'coalesce':
      return words`What comes up while a run is under way leads to one run after it.`;
    case 'queue':
      return words`What comes up while a run is under way waits its turn.`;
    default:
      return unreachable(overlap);
  }
}

const units = [
  { seconds: 86_400, noun: 'day' },
  { seconds: 3600, noun: 'hour' },
  { seconds: 60, noun: 'minute' },
] as const;

/** `2 hours`, `90 seconds`; only the noun for one unit after `every`. */
function durationWords(seconds: number, one: 'one of' | 'with count'): Words {
  const unit = units.find((candidate) => seconds >= candidate.seconds && seconds % candidate.seconds === 0);
  const { noun, count } = unit
    ? { noun: unit.noun, count: seconds / unit.seconds }
    : ({ noun: 'second', count: seconds } as const);
  return count === 1 && one === 'one of' ? words`${noun}` : countOf(count, noun);
}

function countOf(count: number, noun: 'day' | 'hour' | 'minute' | 'second' | 'time'): Words {
  return words`${count} ${noun}${count === 1 ? words`` : words`s`}`;
}

/** The firing policy in sentences, including how often it fires, to describe a change. */
export function firingWords(definition: Pick<StoredDefinition, 'condition' | 'firing'>): Words {
  return joined(
    [words`The task runs each time${triggerWords(definition)}.`, ...policySentences(definition.firing)],
    ' ',
  );
}
