import { Configuration, readConfiguration } from '@app/settings';
import { EndpointUrls, wrongInUrl } from './endpoint-urls';

it.each([
  'https://partner.example/hooks?from=parley',
  'http://127.0.0.1:4000',
  'https://[2001:db8::1]:8443/',
  'https://partner.example./hooks',
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
  ['https://@partner.example/', 'no user'],
  ['https://:@partner.example/', 'no user'],
  ['https:partner.example/', 'begins with'],
  ['https:///partner.example/', 'begins with'],
  ['https:\\\\partner.example/', 'begins with'],
  [' https://partner.example/', 'begins with'],
  ['https://partner.example/ ', 'no space'],
  ['https://partner.example/a b', 'no space'],
  ['https://partner.example/a\tb', 'no space'],
  ['https://partner.example\\@evil.example/', 'no space'],
  ['https://partner.example../', 'empty label'],
  ['https://partner..example/', 'empty label'],
  ['https://.partner.example/', 'empty label'],
  ['https://partner.example。./', 'empty label'],
  ['https://./', 'empty label'],
  ['https://partner.example:0/', 'no port 0'],
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

it('an address of another network than the public one is refused, however it is spelled, unless it is allowed', () => {
  const { env } = readConfiguration({});
  const closed = new EndpointUrls(new Configuration({ ...env, WEBHOOK_ALLOW_PRIVATE: false }));
  const hosts = ['127.0.0.1', '10.0.0.1', '169.254.169.254', '2130706433', '0x7f.1', '[::1]', '[::ffff:10.0.0.1]'];
  for (const host of hosts) {
    expect(closed.issueIn(`https://${host}/`)).toMatchObject({ issues: [{ path: '/url' }] });
    expect(new EndpointUrls(new Configuration(env)).issueIn(`https://${host}/`)).toBeNull();
  }
  for (const host of ['partner.example', '93.184.215.14', '[2606:4700::1111]'])
    expect(closed.issueIn(`https://${host}/`)).toBeNull();
});
