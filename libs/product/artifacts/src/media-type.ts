import { invalid, ok, refuse, type Result } from '@app/kernel';

export const mediaTypeLengthMax = 255;
// RFC 9110, section 8.3.1: type, subtype, parameters; a parameter's value is a token or a quoted text.
const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const parameter = `[ \\t]*;[ \\t]*${token}=(?:${token}|"(?:[\\x20\\x21\\x23-\\x5b\\x5d-\\x7e]|\\\\[\\x20-\\x7e])*")`;
const pattern = new RegExp(`^${token}/${token}(?:${parameter})*$`);

/** Returns the media type that a `Content-Type` declares, as it is written; `application/octet-stream` if there is none. */
export function declaredMediaType(contentType: string | undefined): Result<string> {
  const declared = (contentType ?? '').trim();
  if (declared === '') return ok('application/octet-stream');
  if (declared.length > mediaTypeLengthMax || !pattern.test(declared)) {
    return refuse(invalid('', 'has a Content-Type that is no media type'));
  }
  return ok(declared);
}

export type TextFormat = 'text' | 'pdf';

const textTypes = ['application/json', 'application/csv', 'application/xml', 'application/yaml'];
const textEndings = ['txt', 'md', 'csv', 'tsv', 'json', 'log', 'xml', 'yaml'];

/** Returns how the text of a file is read, by its declared type, or by its name if none was declared; null if it has no text. */
export function textFormatOf(mediaType: string, name: string): TextFormat | null {
  const [essence = ''] = mediaType.toLowerCase().split(';');
  const type = essence.trim();
  if (type.startsWith('text/') || /\+(json|xml)$/.test(type)) return 'text';
  const ending = type === 'application/octet-stream' ? (/\.([a-z]+)$/.exec(name.toLowerCase())?.[1] ?? '') : null;
  if (type === 'application/pdf' || ending === 'pdf') return 'pdf';
  return textTypes.includes(type) || (ending !== null && textEndings.includes(ending)) ? 'text' : null;
}

/** Whether text of this type is UTF-8, which includes US-ASCII; true unless the type says otherwise. */
export function isUtf8(mediaType: string): boolean {
  const charset = /;[ \t]*charset="?([^";\s]+)/i.exec(mediaType)?.[1]?.toLowerCase();
  return charset === undefined || ['utf-8', 'utf8', 'us-ascii', 'ascii'].includes(charset);
}
