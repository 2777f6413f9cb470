import { deprecationHeaders } from './deprecation';

it('says since when /v1 is deprecated, and when it ends', () => {
  expect(deprecationHeaders('2027-01-31T00:00:00Z', '2027-08-01T12:30:00Z')).toEqual({
    deprecation: '@1801353600',
    sunset: 'Sun, 01 Aug 2027 12:30:00 GMT',
    link: '</docs>; rel="deprecation"; type="text/html"',
  });
});

it('says nothing before', () => {
  expect(deprecationHeaders(undefined, undefined)).toEqual({});
});
