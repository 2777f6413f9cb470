import { isPublicAddress } from './public-addresses';

/** Addresses of this machine, of private networks, or of no host. */
const refused = {
  'this machine': ['127.0.0.1', '127.255.255.254', '0.0.0.0', '0.1.2.3', '::1', '::'],
  'private networks': ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fc00::1', 'fd12:3456::1', 'fec0::1'],
  'the link, and what clouds answer there': ['169.254.169.254', '169.254.170.2', 'fe80::1', 'fe80::1%eth0'],
  'what a cloud answers from a public range': ['168.63.129.16', '::ffff:168.63.129.16', '64:ff9b::a83f:8110'],
  'AS112, AMT and other anycast services': [
    '192.31.196.1',
    '192.52.193.1',
    '192.175.48.1',
    '2001:4:112::1',
    '2620:4f:8000::1',
  ],
  'carriers and documentation': ['100.64.0.1', '192.0.2.1', '198.51.100.7', '203.0.113.9', '2001:db8::1', '3fff::1'],
  'protocols and tests': ['192.0.0.8', '198.18.0.1', '192.88.99.1', '2001:2::1', '100::1', '5f00::1', '2001:20::1'],
  'many at once': ['224.0.0.1', '239.1.2.3', '255.255.255.255', '240.0.0.1', 'ff02::1'],
  'IPv4 within IPv6': [
    '::ffff:127.0.0.1',
    '::ffff:10.0.0.1',
    '::ffff:a9fe:a9fe',
    '::ffff:0:127.0.0.1',
    '::127.0.0.1',
    '64:ff9b::127.0.0.1',
    '64:ff9b::169.254.169.254',
    '64:ff9b:1::10.0.0.1',
    '2002:7f00:1::',
    '2002:a00:1::1',
    '2001:0:4136:e378:8000:63bf:3fff:fdd2',
  ],
  'no address': ['', 'localhost', '1.2.3', '300.1.1.1', '1.2.3.4 '],
};

describe.each(Object.entries(refused))('%s', (_, addresses) => {
  it.each(addresses)('%s is not public', (address) => expect(isPublicAddress(address)).toBe(false));
});

it.each(['1.1.1.1', '8.8.8.8', '93.184.215.14', '2606:4700:4700::1111', '::ffff:8.8.8.8', '64:ff9b::8.8.8.8'])(
  '%s is public',
  (address) => expect(isPublicAddress(address)).toBe(true),
);
