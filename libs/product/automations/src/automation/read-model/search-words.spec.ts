import { searchWords } from './search-words';

it('takes runs of letters and digits of any script, folded', () => {
  expect(searchWords('Buy NEAR, below $2.50!')).toEqual(['buy', 'near', 'below', '2', '50']);
  expect(searchWords('Straße STRASSE ﬁne Ｆｕｌｌ ΣΊΣΥΦΟΣ σίσυφος')).toEqual([
    'strasse',
    'strasse',
    'fine',
    'full',
    'σίσυφοσ',
    'σίσυφοσ',
  ]);
  expect(searchWords('cafe\u0301 café 価格 ٣ नमन')).toEqual(['café', 'café', '価格', '٣', 'नमन']);
  expect(searchWords(" -_'\n")).toEqual([]);
});
