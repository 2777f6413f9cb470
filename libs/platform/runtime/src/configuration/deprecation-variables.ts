import { makeValidator } from 'envalid';
import { Rule } from './variable-rules';

const utcInstant = makeValidator<string>((text) => {
  const whole = /^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text;
  const isInstant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/.test(whole) && !Number.isNaN(Date.parse(whole));
  // JavaScript parses 30 February as 2 March.
  if (!isInstant || !new Date(whole).toISOString().startsWith(whole.slice(0, -1))) {
    throw new Rule('must be a date, or an instant in UTC as in 2027-01-31T00:00:00Z');
  }
  return whole;
});

/** When `/v1` became deprecated and when it ends (specification, "Versioning", rule 6); unset while it is not deprecated. */
export const deprecationVariables = {
  V1_DEPRECATED_AT: utcInstant({
    default: undefined,
    desc: 'Since when /v1 is deprecated: its answers then carry Deprecation and Sunset',
  }),
  V1_SUNSET_AT: utcInstant({
    default: undefined,
    desc: 'When /v1 ends; set with V1_DEPRECATED_AT, and at least six months after it',
  }),
};

const noticeMonths = 6;

/** Refuses one of the two without the other, and less notice between them than the specification promises. */
export function deprecationProblems({ V1_DEPRECATED_AT: since, V1_SUNSET_AT: until }: NodeJS.ProcessEnv): string[] {
  const problems = ['V1_SUNSET_AT: must be set with V1_DEPRECATED_AT, six months or more after it'];
  if (since === undefined || until === undefined) return since === until ? [] : problems;
  const earliest = new Date(since);
  earliest.setUTCMonth(earliest.getUTCMonth() + noticeMonths);
  return new Date(until) < earliest ? problems : [];
}
