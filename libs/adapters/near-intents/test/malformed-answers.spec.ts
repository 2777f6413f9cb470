import { Logger } from '@nestjs/common';
import { instantOf, Unavailable } from '@app/kernel';
import fc from 'fast-check';
import { OneClick } from '../src/one-click.adapter';
import { quoteRequest, type Wanted } from '../src/quotes.adapter';
import { SolverRelay } from '../src/solver-relay';
import { Verifier } from '../src/verifier';
import { startAnswering, type Answering } from './answering';

/** Number of bodies per call; a normal run of the suite tries only a part. */
const bodiesPerCall = process.env['FIGURES'] === 'full' ? 1_000 : 60;
const seed = 413;
const account = 'ab'.repeat(32);
const block = { hash: 'b', epochMs: 1 };
const amount = /^(0|[1-9][0-9]{0,38})$/;

type Json = null | boolean | number | string | Json[] | { [member: string]: Json };

/** A call, a correct answer to it, and a check of its value whenever it returns one. */
interface Case {
  readonly name: string;
  readonly right: Json;
  call(apis: {
    readonly verifier: Verifier;
    readonly relay: SolverRelay;
    readonly oneClick: OneClick;
  }): Promise<unknown>;
  fits(value: unknown): boolean;
}

const viewed = (value: Json): Json => ({
  result: { result: [...Buffer.from(JSON.stringify(value))], block_height: 1 },
});
const isTruth = (value: unknown): boolean => typeof value === 'boolean';
const wanted: Wanted = {
  swapType: 'EXACT_INPUT',
  originAsset: 'nep141:a',
  destinationAsset: 'nep141:b',
  amount: '1',
  accountId: account,
  deadline: instantOf(0),
};
const request: Json = { ...quoteRequest(wanted) };
const quote = {
  depositAddress: 'cd'.repeat(32),
  amountIn: '1',
  minAmountIn: '1',
  amountOut: '2',
  minAmountOut: '2',
  timeEstimate: 2,
  deadline: '2026-11-21T13:00:00.000Z',
};

const cases: readonly Case[] = [
  {
    name: 'finalBlock',
    right: { result: { header: { hash: 'x', timestamp_nanosec: '1700000000000000000' } } },
    call: ({ verifier }) => verifier.finalBlock(),
    fits: (value) => Number.isFinite((value as { epochMs: number }).epochMs),
  },
  {
    name: 'isNonceUsed',
    right: viewed(true),
    fits: isTruth,
    call: ({ verifier }) => verifier.isNonceUsed(account, 'bm9uY2U=', block),
  },
  {
    name: 'isSaltValid',
    right: viewed(true),
    fits: isTruth,
    call: ({ verifier }) => verifier.isSaltValid(Uint8Array.of(1, 2, 3, 4), block),
  },
  {
    name: 'hasPublicKey',
    right: viewed(false),
    fits: isTruth,
    call: ({ verifier }) => verifier.hasPublicKey(account, account),
  },
  {
    name: 'currentSalt',
    right: viewed('252812b3'),
    call: ({ verifier }) => verifier.currentSalt(),
    fits: (value) => (value as Uint8Array).length === 4,
  },
  {
    name: 'balance',
    right: viewed(['12']),
    call: ({ verifier }) => verifier.balance(account, 'nep141:a'),
    fits: (value) => amount.test(value as string),
  },
  {
    name: 'balances',
    right: viewed([{ token_id: 'nep141:a', owner_id: account }]),
    call: ({ verifier }) => verifier.balances(account),
    fits: (value) => [...(value as Map<string, string>).values()].every((held) => amount.test(held)),
  },
  {
    name: 'publish',
    right: { result: { status: 'FAILED', reason: 'invalid intent', intent_hash: 'x' } },
    call: ({ relay }) => relay.publish('{}'),
    fits: (value) => ['taken', 'taken_before', 'refused'].includes((value as { kind: string }).kind),
  },
  {
    name: 'status',
    right: { result: { status: 'SETTLED', intent_hash: 'x', data: { hash: 'y' } } },
    call: ({ relay }) => relay.status('x'),
    fits: (value) => ['settled', 'pending', 'failed', 'not_found'].includes((value as { kind: string }).kind),
  },
  {
    name: 'tokens',
    right: [{ assetId: 'nep141:a', symbol: 'A', decimals: 6, price: 1.5, blockchain: 'near' }],
    call: ({ oneClick }) => oneClick.tokens(),
    fits: (value) => (value as { tokenId: string }[]).every(({ tokenId }) => tokenId.length > 0),
  },
  {
    name: 'quote',
    right: { quote, quoteRequest: request, signature: 'ed25519:1', timestamp: '' },
    call: ({ oneClick }) => oneClick.quote(wanted),
    fits: (value) => value === null, // none of them is signed by 1Click
  },
  {
    name: 'swap',
    right: { status: 'REFUNDED', swapDetails: { amountOut: '5' } },
    call: ({ oneClick }) => oneClick.swap(account),
    fits: (value) => value === null || typeof (value as { status: unknown }).status === 'string',
  },
  {
    name: 'announceDeposit',
    right: { status: 'PROCESSING' },
    call: ({ oneClick }) => oneClick.announceDeposit(account, 'x', account),
    fits: (value) => value === undefined,
  },
];

describe('answers that are not what an API promises', () => {
  let world: Answering;
  let body = '';
  let status = 200;

  beforeAll(async () => {
    Logger.overrideLogger(false);
    world = await startAnswering((request, response) => {
      request.resume();
      response.writeHead(status).end(body);
    });
  });
  afterAll(async () => {
    Logger.overrideLogger(true);
    await world.stop();
  });

  it.each(cases)('to $name', async ({ right, call, fits }) => {
    const apis = {
      verifier: new Verifier(world.http),
      relay: new SolverRelay(world.http),
      oneClick: new OneClick(world.http),
    };
    const bodies = fc.sample(malformed(right), { numRuns: bodiesPerCall, seed });
    for ([body, status] of bodies) {
      const value: unknown = await call(apis).catch((error: unknown) => error);
      const unavailable = value instanceof Unavailable && value.reason === 'provider_unavailable';
      if (!unavailable && (value instanceof Error || !fits(value)))
        throw new Error(`${status} ${body.slice(0, 300)} came to ${String(value)}`);
    }
  });
});

/** Correct answers with a flaw, and bodies that are no answer at all. */
function malformed(right: Json): fc.Arbitrary<[body: string, status: number]> {
  const written = JSON.stringify(right);
  const inside = /^{"result":{"result":\[/.test(written);
  const bodies: fc.Arbitrary<string>[] = [
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.json(),
    fc.nat({ max: written.length - 1 }).map((end) => written.slice(0, end)),
    fc.tuple(fc.nat(), fc.string({ maxLength: 3 })).map(([at, text]) => spliced(written, at, text)),
    fc.tuple(fc.nat(), oddValue).map(([at, value]) => JSON.stringify(replaced(right, at, value))),
    fc.constantFrom('['.repeat(200_000), '{"result":'.repeat(50_000), '1e999999', '{"result":{"result":[256,-1,1.5]}}'),
    fc.constantFrom('', 'null', '{"error":{"name":"HANDLER_ERROR"}}', '{"result":null}', '\u0000', '<html></html>'),
  ];
  if (inside) bodies.push(oddValue.map((value) => JSON.stringify(viewed(value))));
  return fc.tuple(fc.oneof(...bodies), fc.constantFrom(200, 200, 200, 201, 204, 400, 404, 409, 500));
}

const oddValue: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json[]>(null, true, -1, 1e30, 0.5, '', '-1', '01', '1e5', 'x'.repeat(5_000), [], {}, [[]]),
  fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Json>,
);

function spliced(text: string, at: number, insertion: string): string {
  const index = at % text.length;
  return `${text.slice(0, index)}${insertion}${text.slice(index + 1)}`;
}

/** A copy with another value at one of its places. */
function replaced(value: Json, at: number, other: Json): Json {
  const places = typeof value === 'object' && value !== null ? Object.keys(value) : [];
  const name = places[at % Math.max(places.length, 1)];
  if (name === undefined) return other;
  const copy = structuredClone(value) as Record<string, Json>;
  const deeper = Math.floor(at / places.length);
  copy[name] = deeper % 3 === 0 ? other : replaced(copy[name] ?? null, deeper, other);
  return copy;
}
