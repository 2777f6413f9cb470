// The options of a load.
import { parseArgs } from 'node:util';

export const usage = `npm run load -- [what] [options]: a mixed day against a deployment, at a rate that does not wait for answers

What (one of these; --percent 80 when none is given)
  --rate 100          so many operations a second
  --percent 80        so much of what the machine bears, which a ramp finds first
  --ramp              only finds what it bears, and where it begins to refuse
  --overload          80 % of what it bears, then twice what it bears, then 80 % again, compared
  --quick             a few seconds at a small rate

Options
  --seconds 600       how long each rate is held (a step of the ramp takes 8)
  --bears 150         what the machine bears, where a ramp has found that before
  --every 5           seconds between two tables while it runs
  --users 100         users whose day it is
  --env NAME=value    a setting of the deployment that is started; may be given several times

A deployment of your own, instead of one that is started in a temporary folder (rate limits and budgets must be wide enough)
  --url http://127.0.0.1:8080 --key pk_… --token eyJ…   tokens of several users with commas between
  --pids 123,456      its processes on this machine, whose memory and CPU are shown`;

/** A command line that contradicts itself or cannot be parsed. */
export class BadOptions extends Error {}

/** The reason why no load is possible, in words for the person who requested it. */
export class NoLoad extends Error {}

const quick = { rate: 10, seconds: 3, everySeconds: 1, users: 4 };

/**
 * Reads the command line.
 * @throws BadOptions
 */
export function readOptions(args) {
  const values = parsed(args);
  const given = [
    ...['rate', 'percent'].filter((name) => values[name] !== undefined),
    ...['ramp', 'overload', 'quick'].filter((name) => values[name]),
  ];
  if (given.length > 1) throw new BadOptions(`choose one of ${given.map((name) => `--${name}`).join(', ')}`);
  if (
    (values.url === undefined) !== (values.key === undefined) ||
    (values.url === undefined) !== (values.token === undefined)
  )
    throw new BadOptions('--url, --key and --token go together');
  const small = values.quick ? quick : {};
  const mode = given[0] ?? 'percent';
  return {
    help: values.help,
    mode: mode === 'quick' ? 'rate' : mode,
    rate: number(values, 'rate', small.rate ?? null),
    percent: number(values, 'percent', 80),
    bears: number(values, 'bears', null),
    seconds: number(values, 'seconds', small.seconds ?? (mode === 'overload' ? 60 : 600)),
    everySeconds: number(values, 'every', small.everySeconds ?? 5),
    users: number(values, 'users', small.users ?? 100),
    env: Object.fromEntries(values.env.map(assignment)),
    own:
      values.url === undefined
        ? null
        : { url: values.url.replace(/\/+$/, ''), key: values.key, tokens: values.token.split(',') },
    pids: values.pids === undefined ? [] : values.pids.split(',').map((pid) => whole('pids', pid)),
  };
}

function parsed(args) {
  const text = { type: 'string' };
  const flag = { type: 'boolean', default: false };
  const texts = ['rate', 'percent', 'bears', 'seconds', 'every', 'users', 'url', 'key', 'token', 'pids'];
  const options = {
    ...Object.fromEntries(texts.map((name) => [name, text])),
    env: { type: 'string', multiple: true, default: [] },
    ramp: flag,
    overload: flag,
    quick: flag,
    help: flag,
  };
  try {
    return parseArgs({ args, options }).values;
  } catch (error) {
    throw new BadOptions(error.message);
  }
}

function number(values, name, ifAbsent) {
  if (values[name] === undefined) return ifAbsent;
  const value = Number(values[name]);
  if (!(value > 0) || !Number.isFinite(value)) throw new BadOptions(`--${name} is a number above 0`);
  return name === 'users' ? whole(name, values[name]) : value;
}

function whole(name, text) {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new BadOptions(`--${name} is a whole number above 0`);
  return Number(text);
}

function assignment(text) {
  const at = text.indexOf('=');
  if (at < 1) throw new BadOptions('--env is NAME=value');
  return [text.slice(0, at), text.slice(at + 1)];
}
