import { cut, exactlyWithinMarks, withinMarks } from './foreign-texts';
import type { Instant } from '../instants';
import type { JsonValue } from '../json';

declare const ofOurs: unique symbol;
/**
 * A text that consists of literals in our source, numbers, spellings of a closed grammar, and quotations. Only this file creates one, so a
 * text by a model, a user, a partner, a tool server or a provider is always within marks, and cannot read as a sentence of ours
 * (docs/decisions/approvals.md). Other texts do not compile where it is required.
 */
export type Words = string & { readonly [ofOurs]: true };

/** A text whose type specifies every character, so that it is in our source. */
type Literal<Value> = Value extends string ? (Record<never, never> extends Record<Value, 1> ? never : Value) : never;
type Part<Value> = Value extends Words | number | bigint ? Value : Literal<Value>;
/** The type of a parameter for a sentence of ours: words, or a literal in the source of the call. */
export type Ours<Text extends string> = Part<Text> & Text;
type Parts<Values extends readonly unknown[]> = { readonly [Index in keyof Values]: Part<Values[Index]> };

/**
 * A sentence of ours, or a part of one. A plain `string` between its literals is a type error.
 * @example
 * words`Create the automation ${quoted(name)}.`
 */
export function words<const Values extends readonly (string | number | bigint)[]>(
  literals: TemplateStringsArray,
  ...values: Values & Parts<Values>
): Words {
  const text = literals.reduce((sentence, literal, index) => `${sentence}${values[index - 1]}${literal}`);
  return text as Words; // reason for the assertion: it consists of parts of ours alone
}

/** A literal of ours as a whole sentence; words unchanged. */
export function sentence<const Text extends string>(text: Ours<Text>): Words {
  return ours(text);
}

/** Maximum code points of a quotation before it is cut. */
const quotedLengthMax = 200;

/**
 * A foreign text within marks that it cannot contain, on one line, without control, format or bidirectional characters; cut with `…` if it
 * is too long.
 * @param lengthMax in code points, without the marks; `Infinity` for the whole text
 */
export function quoted(text: string, lengthMax: number = quotedLengthMax): Words {
  return words`“${ours(withinMarks(text, lengthMax))}”`;
}

/**
 * A foreign text that is compared or sent as it is: as `quoted`, but different texts are displayed differently, because characters that are
 * invisible or would be changed become escapes such as `\u200d`. A list or an object is shown as its JSON, with `'` as marks; no text is
 * displayed like one.
 * @param lengthMax as in `quoted`
 */
export function quotedExactly(value: JsonValue, lengthMax: number = quotedLengthMax): Words {
  const exact =
    typeof value === 'string'
      ? exactlyWithinMarks(value).replace(/^[[{]/, (bracket) => (bracket === '[' ? '\\u005b' : '\\u007b'))
      : exactlyWithinMarks(JSON.stringify(value).replace(inJson, unmarked), true);
  return words`“${ours(cut(exact, lengthMax))}”`;
}

/** Escapes, empty texts and marks of a JSON text. */
const inJson = /\\.|""|["']/gs;

/** JSON's quotation marks become `'`, so one within a text becomes an escape; two of them would pass for one of our marks. */
function unmarked(part: string): string {
  switch (part) {
    case '\\"':
      return '\\u0022';
    case "'":
      return '\\u0027';
    case '""':
      return '(empty)';
    case '"':
      return "'";
    default:
      return part;
  }
}

/** Spellings that cannot read as words of a sentence: they are shown unchanged. */
const grammars = {
  /** `0.01`. */
  decimal: /^-?\d{1,80}(\.\d{1,80})?$/,
  uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  /** `nep141:wrap.near`; the part before the colon keeps it from being a word. */
  tokenId: /^nep(141|171|245):[a-z0-9._:-]{1,512}$/,
  /** `USDC`, `wNEAR`, `$WIF`, `BTC.e`, `a-b`; it begins with a letter so that it is no amount, and no half of it is a word. */
  ticker: /^(?=.*([A-Z].*[A-Z]|[\d$₮])|.{1,3}[.+-].{1,3}$)\$?[A-Za-z][A-Za-z0-9$₮]{0,11}(?:[.+-][A-Za-z0-9]{1,12})?$/,
  /** `Europe/Berlin`, `UTC`. */
  zone: /^(UTC|GMT|[A-Z][A-Za-z_]{1,30}(\/[A-Za-z0-9_+-]{1,30}){1,3})$/,
  /** `At 22:00, Monday through Friday`, as the library of cron expressions formats it. */
  times: /^[A-Z][A-Za-z0-9:,/ -]{1,400}$/,
  hash: /^sha256:[0-9a-f]{64}$/,
  /** `/actions/0/input`: a JSON pointer without space or mark. */
  pointer: /^(\/[A-Za-z0-9_]{1,40}){1,16}$/,
} as const;

/** Words of our sentences, which are not accepted as names of tokens in them. */
const reserved =
  /^\$?(all|and|any|as|at|by|daily|each|every|for|free|if|in|is|it|less|more|most|no|not|nothing|now|of|on|once|or|so|the|then|times?|to|until|up|yes|you|yours?)$/i;

export type Grammar = keyof typeof grammars;

/** Whether a text has the form of the grammar. */
export function isSpelled(text: string, grammar: Grammar): boolean {
  return (
    grammars[grammar].test(text) && !(grammar === 'ticker' && text.split(/[.+-]/).some((half) => reserved.test(half)))
  );
}

/** The text unchanged if it has the form of the grammar; otherwise quoted exactly, whole. */
export function spelled(text: string, grammar: Grammar): Words {
  return isSpelled(text, grammar) ? ours(text) : quotedExactly(text, Infinity);
}

/** Marks of quotations, invisible characters, and line breaks. */
const unfit = /["“”„‟«»〝〞＂❝❞″]|\p{C}|\p{Default_Ignorable_Code_Point}|\p{Zl}|\p{Zp}/u;

/** A text of the operator, from the configuration; null if it could pass for a quotation's mark or is invisible. */
export function operatorWords(text: string): Words | null {
  return unfit.test(text) ? null : ours(text);
}

/** Formats an instant as `2026-12-01 09:00 UTC`; seconds only if they are not zero. */
export function instantWords(instant: Instant): Words {
  const form = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(?::00\.000|(:\d\d(?:\.\d{3})?))Z$/.exec(instant);
  if (form === null) return quoted(instant);
  const [, day = '', minute = '', rest = ''] = form;
  return words`${ours(day)} ${ours(minute)}${ours(rest.replace(/\.000$/, ''))} UTC`;
}

/** Joins the parts in order, with a text of ours between them. */
export function joined<Between extends string>(parts: readonly Words[], between: Part<Between> & Between): Words {
  return ours(parts.join(between));
}

/** Removes space at both ends. */
export function trimmed(text: Words): Words {
  return ours(text.trim());
}

/** Capitalizes the first letter. */
export function capitalized(text: Words): Words {
  return ours(text.charAt(0).toUpperCase() + text.slice(1));
}

/** Makes the first letter lower-case. */
export function uncapitalized(text: Words): Words {
  return ours(text.charAt(0).toLowerCase() + text.slice(1));
}

/**
 * Cuts a text that is too long, and appends `…`; a quotation that is cut ends with its mark. @param lengthMax in code points, at least 3
 */
export function shortened(text: Words, lengthMax: number): Words {
  const points = [...text];
  if (points.length <= lengthMax) return text;
  const kept = points.slice(0, lengthMax - 1);
  const opens = kept.lastIndexOf('“');
  const isOpen = opens > kept.lastIndexOf('”');
  // An opening mark that would be the last character but one has no text after it.
  const end = isOpen && opens > kept.length - 3 ? opens : isOpen ? kept.length - 1 : kept.length;
  const beginning = kept.slice(0, end).join('');
  return ours(end > opens && isOpen ? `${beginning}…”` : `${beginning.trimEnd()}…`);
}

function ours(text: string): Words {
  return text as Words; // reason for the assertion: each caller has checked it, or built it from words
}
