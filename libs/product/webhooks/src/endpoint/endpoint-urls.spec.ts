import { Configuration, readConfiguration } from '@app/runtime';
import { EndpointUrls, wrongInUrl } from './endpoint-urls';

it.each([
  'https://partner.example/hooks?from=parley',
  'http://127.0.0.1:4000',
  'https://[2001:db8::1]:8443/',
  `https://partner.example/${'x'.repeat(2_024)}`,
])('%s is an address', (url) => expect(wrongInUrl(url)).toBeNull());

it.each([
  ['', 'begins with'],
  ['partner.example', 'begins with'],
  ['/hooks', 'begins with'],
  ['ftp://partner.example', 'begins with'],
  ['javascript:alert(1)', 'begins with'],
  ['https://', 'begins with'],
  ['https://partner.example:99999/', 'begins with'],
  [`https://partner.example/${'x'.repeat(2_025)}`, 'characters at most'],
  ['https://ada@partner.example/', 'no user'],
  ['https://:secret@partner.example/', 'no user'],
  ['https://partner.example/#x', 'no fragment'],
  ['https://partner.example/#', 'no fragment'],
])('%s is none', (url, words) => expect(wrongInUrl(url)).toContain(words));

it('only a sandbox sends in clear text', () => {
  const sandbox = readConfiguration({});
  const production = new Configuration({ ...sandbox.env, PARLEY_MODE: 'production' });
  expect(new EndpointUrls(sandbox).issueIn('http://partner.example/')).toBeNull();
  expect(new EndpointUrls(production).issueIn('https://partner.example/')).toBeNull();
  for (const url of ['http://partner.example/', 'https://ada@partner.example/'])
    expect(new EndpointUrls(production).issueIn(url)).toMatchObject({ issues: [{ path: '/url' }] });
});
