import { mayHoldPassword, placeInWords } from './place-in-words';

it.each([
  ['esdb://admin:changeit@events.internal:2113?tls=true', 'esdb://events.internal:2113'],
  ['postgres://parley:p@ss@db.internal/parley', 'postgres://db.internal/parley'],
  ['postgres://parley:p/a@s/s@db.internal:5432/parley', 'postgres://db.internal:5432/parley'],
  ['postgres://parley:p?a#s@db.internal/parley', 'postgres://…'],
  ['postgres://db.internal/parley?user=parley&password=chan@geit', 'postgres://…'],
  ['esdb+discover://one:2113,two:2113?userCertFile=a&password=chan@geit', 'esdb+discover://…'],
  ['postgres://parley:p@ss?@db.internal/parley?password=x@y', 'postgres://…'],
  ['postgres://db.internal/parley?user=parley&password=changeit', 'postgres://db.internal/parley'],
  ['esdb+discover://a:b@one:2113,two:2113?tls=true', 'esdb+discover://one:2113,two:2113'],
  ['esdb://admin:two\nlines@events.internal:2113', 'esdb://events.internal:2113'],
  ['unix:/run/parley/events.sock', 'unix:/run/parley/events.sock'],
])('says of %j no credential', (url, words) => {
  expect(placeInWords(url)).toBe(words);
});

it.each([
  'esdb://admin:changeit@events.internal:2113?tls=true',
  'postgres://parley:p/s@db.internal/parley',
  'postgres://parley:p?a#s@db.internal/parley',
  'postgres://parley:p@ss@db.internal/parley',
  'postgres://db.internal/parley?user=parley&password=changeit',
  'esdb://events.internal:2113?userCertFile=a&userKeyPassword=b',
])('sees that %j holds a password', (url) => {
  expect(mayHoldPassword(url)).toBe(true);
});

it.each(['esdb://events.internal:2113?tls=true', 'postgres://parley@db.internal:5432/parley', 'unix:/run/parley.sock'])(
  'sees no password in %j',
  (url) => {
    expect(mayHoldPassword(url)).toBe(false);
  },
);
