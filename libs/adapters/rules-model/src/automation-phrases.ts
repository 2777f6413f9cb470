import { decimalText, parseDecimal } from '@app/kernel';

/** When a task is to be done, as the user wrote it. */
export type AskedWake =
  | { readonly kind: 'cron'; readonly expression: string; readonly timezone: string }
  | { readonly kind: 'every'; readonly seconds: number }
  | {
      readonly kind: 'price';
      readonly symbol: string;
      readonly op: 'lt' | 'gt';
      /** With the fewest digits. */ readonly priceUsd: string;
    };

/** A rule that a user asks for. */
export interface AskedAutomation {
  readonly wake: AskedWake;
  /** The task of each run, phrased as a request. */
  readonly task: string;
}

const days: Readonly<Record<string, string>> = {
  day: '*',
  weekday: '1-5',
  sunday: '0',
  monday: '1',
  tuesday: '2',
  wednesday: '3',
  thursday: '4',
  friday: '5',
  saturday: '6',
};
const unitSeconds: Readonly<Record<string, number>> = { minute: 60, hour: 3_600, day: 86_400 };

const dayName = `(${Object.keys(days).join('|')})`;
const zone = String.raw`(?:in )?([A-Za-z_]{2,32}(?:/[A-Za-z0-9_+-]{1,32}){1,2}|UTC)`;
const daily = new RegExp(String.raw`^every ${dayName} at (\d{1,2}):(\d\d)(?: ${zone})?,? (.+)$`, 'i');
const repeated = /^every (?:(\d{1,5}) )?(minute|hour|day)s?,? (.+)$/i;
const price = new RegExp(
  String.raw`^(?:when|whenever|if) (?:the price of )?(\S{1,64}) (?:drops|falls|dips|rises|climbs|goes|gets|is) ` +
    String.raw`(below|under|above|over) \$?(\d{1,40}(?:\.\d{1,18})?)(?: dollars)?,? (?:then )?(.+)$`,
  'i',
);

/** The rule that a sentence asks for; null for any other sentence, and for an impossible time of day. */
export function automationIn(sentence: string): AskedAutomation | null {
  return onPrice(sentence) ?? onDay(sentence) ?? readInterval(sentence);
}

function onPrice(sentence: string): AskedAutomation | null {
  const [, symbol, side, given = '', task] = price.exec(sentence) ?? [];
  const threshold = parseDecimal(given);
  if (symbol === undefined || side === undefined || task === undefined || threshold === null) return null;
  const op = /^(?:below|under)$/i.test(side) ? 'lt' : 'gt';
  return { wake: { kind: 'price', symbol, op, priceUsd: decimalText(threshold) }, task: taskIn(task) };
}

function onDay(sentence: string): AskedAutomation | null {
  const [, day = '', hour, minute, timezone = 'UTC', task] = daily.exec(sentence) ?? [];
  if (task === undefined || Number(hour) > 23 || Number(minute) > 59) return null;
  const expression = `${Number(minute)} ${Number(hour)} * * ${days[day.toLowerCase()] ?? '*'}`;
  return { wake: { kind: 'cron', expression, timezone: spelledZone(timezone) }, task: taskIn(task) };
}

function readInterval(sentence: string): AskedAutomation | null {
  const [, count = '1', unit = '', task] = repeated.exec(sentence) ?? [];
  if (task === undefined) return null;
  const seconds = Number(count) * (unitSeconds[unit.toLowerCase()] ?? 0);
  return { wake: { kind: 'every', seconds }, task: taskIn(task) };
}

/** Shortens `tell me the price of NEAR` to `price of NEAR`. */
function taskIn(words: string): string {
  return words.replace(/^(?:please )?(?:tell|show) me (?:the )?/i, '');
}

/** The zone in its canonical spelling, if only the case differs. */
function spelledZone(given: string): string {
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: given }).resolvedOptions();
    return timeZone.toLowerCase() === given.toLowerCase() ? timeZone : given;
  } catch (error) {
    // Unknown: the tool reports it.
    if (error instanceof RangeError) return given;
    throw error;
  }
}
