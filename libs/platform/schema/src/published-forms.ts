import { instantForm } from '@app/kernel';

/** Spellings in documents that generators of other languages can read (docs/decisions/conventions.md, "Published documents"). */

/** A pattern as other languages' engines accept it: `RegExp.source` escapes slashes, which they refuse or warn about. */
export function publishedPattern({ source }: RegExp): string {
  return source.replace(/\\(.)/g, (escape, escaped) => (escaped === '/' ? '/' : escape));
}

const int32Max = 2 ** 31 - 1;

/** The width that a generated client needs for whole numbers up to `max`. */
export function integerFormat(max: number | undefined): 'int32' | 'int64' {
  return max !== undefined && max <= int32Max ? 'int32' : 'int64';
}

/** The published form of an instant in a request, with its meaning in words. */
export function publishedInstant(
  meaning?: string,
): Readonly<Record<'type' | 'format' | 'pattern' | 'description', string>> {
  const spelling = 'RFC 3339, with any offset; kept in UTC, rounded down to milliseconds';
  return {
    type: 'string',
    format: 'date-time',
    pattern: publishedPattern(instantForm),
    description: meaning === undefined ? spelling : `${meaning}. ${spelling}`,
  };
}
