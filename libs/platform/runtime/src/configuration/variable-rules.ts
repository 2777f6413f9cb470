import { makeValidator } from 'envalid';
import { wrongInCalledUrl } from '../http-urls';
import { entryInWords, secretKeyBytesMin, secretKeysIn, secretKeysMax, secretKeyTexts } from './secret-keys';

/** The requirement on a value; unlike the messages of `envalid`, it never quotes the value, which may be a misplaced secret. */
export class Rule extends Error {}

export const positiveInteger = makeValidator<number>((text) => {
  if (!/^[1-9][0-9]{0,8}$/.test(text)) throw new Rule('must be a whole number from 1 to 999999999');
  return Number(text);
});

const partitionsMax = 64;

export const partitions = makeValidator<number>((text) => {
  if (!/^[1-9][0-9]?$/.test(text) || Number(text) > partitionsMax)
    throw new Rule(`must be a whole number from 1 to ${partitionsMax}`);
  return Number(text);
});

export const wholeNumber = makeValidator<number>((text) => {
  if (!/^(0|[1-9][0-9]{0,8})$/.test(text)) throw new Rule('must be a whole number from 0 to 999999999');
  return Number(text);
});

const yes: readonly string[] = ['true', 'yes', 'on', 't', '1'];
const no: readonly string[] = ['false', 'no', 'off', 'f', '0'];

/** A boolean, in the spellings of `envalid`, of any case: its own message does not say which these are. */
export const trueOrFalse = makeValidator<boolean>((text) => {
  const spelling = text.toLowerCase();
  if (!yes.includes(spelling) && !no.includes(spelling))
    throw new Rule(`must be true or false (or ${yes.slice(1).join(', ')}; ${no.slice(1).join(', ')})`);
  return yes.includes(spelling);
});

/** `PARLEY_SECRET_KEY`, whose entries `secretKeysIn` returns. */
export const secretKeyList = makeValidator<string>((text) => {
  const entries = secretKeyTexts(text);
  if (entries.length > secretKeysMax)
    throw new Rule(`must be ${secretKeysMax} keys at most, newest first, with commas between`);
  const wrong = entries.findIndex((entry) => !isSecretKey(entry));
  if (wrong >= 0)
    throw new Rule(`${entryInWords(wrong, entries.length)}must be at least ${secretKeyBytesMin} bytes in base64`);
  const bytes = secretKeysIn(text).map((key) => key.toString('base64'));
  const again = bytes.findIndex((key, place) => bytes.indexOf(key) < place);
  if (again >= 0) throw new Rule(`${entryInWords(again, entries.length)}must differ from all entries before it`);
  return text;
});

function isSecretKey(entry: string): boolean {
  return /^[A-Za-z0-9+/_-]+={0,2}$/.test(entry) && Buffer.from(entry, 'base64').length >= secretKeyBytesMin;
}

export const postgresUrl = makeValidator<string>((text) => {
  if (!/^postgres(ql)?:\/\//.test(text)) throw new Rule('must begin with postgres:// or postgresql://');
  return text;
});

export const httpUrl = makeValidator<string>((text) => {
  if (!/^https?:\/\/[^\s@]+$/.test(text)) throw new Rule('must begin with http:// or https://, without credentials');
  const wrong = wrongInCalledUrl(text);
  if (wrong !== null) throw new Rule(wrong);
  return text;
});

export const eventStoreUrl = makeValidator<string>((text) => {
  if (!/^(esdb(\+discover)?:\/\/|unix:\/)/.test(text))
    throw new Rule('must begin with esdb://, esdb+discover:// or unix:/');
  return text;
});

/** The forms that validators of the library take, by their names in its messages. */
const libraryForms: Readonly<Record<string, string>> = {
  port: 'must be the number of a port, up to 65535',
};

/** Returns the form that a validator of the library demands, for the error that it throws; null for other errors. */
export function libraryForm({ message }: Error): string | null {
  const [, kind = ''] = /^Invalid (\w+) input/.exec(message) ?? [];
  return libraryForms[kind] ?? null;
}
