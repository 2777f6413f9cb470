import { worthUsdOf } from './moved-worth';

it.each<[string, string | null, string, string | null]>([
  ['a price', '2.5', '10000000', '25'],
  ['no price', null, '10000000', null],
  ['a price of 0', '0', '10000000', null],
  ['a price of 0 with digits', '0.000', '10000000', null],
  ['nothing of it', '2.5', '0', '0'],
])('the worth of an amount with %s', (_, priceUsdDecimal, amountRaw, usd) => {
  expect(worthUsdOf({ amountRaw, decimals: 6, priceUsdDecimal })).toBe(usd);
});
