import { makeValidator } from 'envalid';
import { isIP } from 'node:net';
import { positiveInteger, Rule } from './variable-rules';

/** Names of networks that Fastify supports: 127.0.0.0/8 and ::1; link-local addresses; the private networks of RFC 1918 and RFC 4193. */
const networkNames = new Set(['loopback', 'linklocal', 'uniquelocal']);

const proxies = makeValidator<string>((text) => {
  const parts = text.split(',').map((part) => part.trim());
  if (!parts.every((part) => networkNames.has(part) || isNetwork(part)))
    throw new Rule(
      'must be addresses, networks such as 10.0.0.0/8, loopback, linklocal or uniquelocal, with commas between',
    );
  return parts.join();
});

function isNetwork(text: string): boolean {
  const [address = '', prefix, ...more] = text.split('/');
  const bitsMax = isIP(address) === 4 ? 32 : 128;
  if (isIP(address) === 0 || more.length > 0) return false;
  return prefix === undefined || (/^([1-9]\d{0,2})$/.test(prefix) && Number(prefix) <= bitsMax);
}

/** The environment variables of admission: rate limits, load limits and trusted proxies. */
export const admissionVariables = {
  RATE_LIMIT_KEY_PER_MINUTE: positiveInteger({ default: 6000, desc: 'Requests per partner key in any 60 s' }),
  RATE_LIMIT_USER_PER_MINUTE: positiveInteger({ default: 300, desc: 'Requests per user in any 60 s' }),
  RATE_LIMIT_OPERATOR_PER_MINUTE: positiveInteger({ default: 300, desc: 'Requests per operator in any 60 s' }),
  KEY_FAILURES_PER_MINUTE: positiveInteger({
    default: 60,
    desc: 'Requests without a good partner key or operator token that an address may send in any 60 s to each api process; then 429',
  }),
  REQUESTS_AT_ONCE: positiveInteger({
    default: 16,
    desc: 'Requests that an api process works on at once, other than open event streams and what waits for a provider; where more are in flight throughout half a second, it answers 429 to what would be one more, except that of what goes on with something accepted it takes four times as many',
  }),
  TRUSTED_PROXIES: proxies({
    default: undefined,
    desc: 'Proxies whose X-Forwarded-For names the address of the caller: addresses, networks, or loopback, linklocal, uniquelocal, with commas between; unset: none, so callers behind a proxy share its address',
  }),
};
