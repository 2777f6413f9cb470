import { placeInWords } from './place-in-words';

it.each([
  ['esdb://admin:changeit@events.internal:2113?tls=true', 'esdb://events.internal:2113'],
  ['postgres://parley:p@ss@db.internal/parley', 'postgres://db.internal/parley'],
  ['postgres://parley:p/a@s/s@db.internal:5432/parley', 'postgres://db.internal:5432/parley'],
  ['postgres://parley:p?a#s@db.internal/parley', 'postgres://db.internal/parley'],
  ['postgres://db.internal/parley?user=parley&password=changeit', 'postgres://db.internal/parley'],
  ['esdb+discover://a:b@one:2113,two:2113?tls=true', 'esdb+discover://one:2113,two:2113'],
  ['esdb://admin:two\nlines@events.internal:2113', 'esdb://events.internal:2113'],
  ['unix:/run/parley/events.sock', 'unix:/run/parley/events.sock'],
])('says of %j no credential', (url, words) => {
  expect(placeInWords(url)).toBe(words);
});
