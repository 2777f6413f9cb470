import { leftOutLines } from '../src/terminal/outcome';

it('names the tables that a copy leaves out within marks, because another person may have chosen the names', () => {
  expect(leftOutLines([])).toEqual([]);
  expect(leftOutLines(['public.mine', 'public."x\nrestored: all of it"'])).toEqual([
    "Not copied, since they are no tables of Parley's: “public.mine”, “public.\\u0022x\\u000arestored: all of it\\u0022”.",
  ]);
});
