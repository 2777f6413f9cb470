import { changedNumberIn, holdsNumbers } from './kept-input';

it.each(['', '{}', '{"a":1.10,"b":1e3,"c":[-0.0,0.1],"d":"9007199254740993"}', '{"a":"\\"9007199254740993"}'])(
  'a double holds the numbers of %s',
  (json) => {
    expect([holdsNumbers(json), changedNumberIn(json)]).toEqual([true, null]);
  },
);

it.each(['{"a":9007199254740993}', '{"a":"x","b":[0.1234567890123456789]}', '[1e400]', '{"a":100000000000000000001}'])(
  'a number of %s would change, and the model reads so',
  (json) => {
    expect(holdsNumbers(json)).toBe(false);
    expect(changedNumberIn(json)).toContain('send it as text');
  },
);
