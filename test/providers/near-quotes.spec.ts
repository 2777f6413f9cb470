import {
  verifyQuoteSignature,
  type MultiPayloadNep413,
  type QuoteResponse,
} from '@defuse-protocol/one-click-sdk-typescript';
import { Logger } from '@nestjs/common';
import { epochMsOf, instantOf, Unavailable } from '@app/kernel';
import type { Order } from '@app/wallets';
import type { QuoteAnswer } from '@app/testing/near';
import { seededRandom } from '@app/testing/journeys';
import { Stage } from './contract-stage';
import { wNear } from './harness';
import { startNearProvider, type NearUnderTest } from './near-provider';

/** The number of alterations; the suite checks only a part of them. */
const alterations = process.env['FIGURES'] === 'full' ? 1_000 : 30;
const timeoutMs = 180_000;

type Change = (answer: QuoteAnswer) => QuoteAnswer;
const ofQuote =
  (members: object): Change =>
  (answer) => ({ ...answer, quote: { ...answer.quote, ...members } });
const ofRequest =
  (members: object): Change =>
  (answer) => ({ ...answer, quoteRequest: { ...answer.quoteRequest, ...members } });

async function stageOn(provider: NearUnderTest): Promise<Stage> {
  const stage = new Stage(async () => provider);
  await stage.open();
  return stage;
}

let world: NearUnderTest;
let stage: Stage;

beforeAll(async () => {
  Logger.overrideLogger(false);
  world = await startNearProvider();
  stage = await stageOn(world);
});
beforeEach(() => stage.begin());
afterEach(async () => {
  world.loopback.instead = null;
  world.loopback.quoteChange = (answer) => answer;
  await stage.end();
});
afterAll(async () => {
  Logger.overrideLogger(true);
  await world.stop();
});

const exactInput = (): Order => stage.swapUsdc('10000000');
const exactOutput = (): Order => stage.swapFor({ tokenId: wNear, amountRaw: '1000000000000000000000000' }, '200000000');
/** The outcome of an order: `planned`, a failure's reason, or `unavailable`. */
async function comesOf(order: Order): Promise<string> {
  try {
    return await stage.failureOf(order);
  } catch (error) {
    if (error instanceof Unavailable) return 'unavailable';
    throw error;
  }
}

describe('a quote that is signed for', () => {
  it('is kept to the letter: anybody can see later that it was 1Click’s', async () => {
    const { quote, input, output, leastOutput } = await stage.plan(exactInput());
    // Reason for the assertion: the double's answer has all members that 1Click's answers have.
    const answer = JSON.parse(quote ?? '') as QuoteResponse;
    expect(verifyQuoteSignature(answer, world.loopback.quoteKey)).toBe(true);
    const { amountIn, amountOut, minAmountOut } = answer.quote;
    expect([input.amountRaw, output?.amountRaw, leastOutput?.amountRaw]).toEqual([amountIn, amountOut, minAmountOut]);
  });

  it('is paid for by the transfer that 1Click would have the wallet sign', async () => {
    const { bytes, quote } = await stage.plan(exactInput());
    const { depositAddress } = (JSON.parse(quote ?? '') as QuoteResponse).quote;
    const body = { type: 'swap_transfer', standard: 'nep413', signerId: stage.wallet.address, depositAddress };
    const headers = { 'content-type': 'application/json' };
    const url = `${world.loopback.url}/v0/generate-intent`;
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
    const generated = (await response.json()) as { intent: MultiPayloadNep413 };
    const { params } = JSON.parse(bytes) as { params: [{ signed_data: MultiPayloadNep413 }] };
    const said = ({ payload }: MultiPayloadNep413): unknown => {
      const { signer_id, intents } = JSON.parse(payload.message) as Record<string, unknown>;
      return { signer_id, intents, recipient: payload.recipient };
    };
    expect(said(params[0].signed_data)).toEqual(said(generated.intent));
  });

  it('promises an exact output whole, and any other within the slippage', async () => {
    const exact = await stage.plan(exactOutput());
    expect(exact.leastOutput).toEqual(exact.output);
    const { output, leastOutput } = await stage.plan(exactInput());
    expect(BigInt(leastOutput?.amountRaw ?? 0)).toBe((BigInt(output?.amountRaw ?? 0) * 99n) / 100n);
  });

  it('may name the fees that 1Click takes: they are in its amounts', async () => {
    world.loopback.quoteChange = ofRequest({ appFees: [{ recipient: 'ab'.repeat(32), fee: 10 }] });
    expect(await comesOf(exactInput())).toBe('planned');
  });

  it('expires no later than its deposit address', async () => {
    const inactive = instantOf(epochMsOf(world.now()) + 30_000);
    world.loopback.quoteChange = ofQuote({ timeWhenInactive: inactive });
    expect((await stage.plan(exactInput())).deadline).toBe(inactive);
  });
});

describe('a quote that 1Click has signed is not signed for', () => {
  it.each<[what: string, change: Change]>([
    ['delivers to others', ofRequest({ recipient: 'ab'.repeat(32) })],
    ['gives back to others', ofRequest({ refundTo: 'ab'.repeat(32) })],
    ['delivers outside of the contract', ofRequest({ recipientType: 'DESTINATION_CHAIN' })],
    ['gives back outside of the contract', ofRequest({ refundType: 'ORIGIN_CHAIN' })],
    ['is deposited outside of the contract', ofRequest({ depositType: 'ORIGIN_CHAIN' })],
    ['takes another token', ofRequest({ originAsset: wNear })],
    ['delivers another token', ofRequest({ destinationAsset: 'nep141:junk.near' })],
    ['is for another amount', ofRequest({ amount: '20000000' })],
    ['is of another kind', ofRequest({ swapType: 'FLEX_INPUT' })],
    ['allows for more slippage', ofRequest({ slippageTolerance: 5_000 })],
    ['gives back later', ofRequest({ deadline: '2999-01-01T00:00:00.000Z' })],
    ['is a rehearsal', ofRequest({ dry: true })],
    ['is deposited by memo', ofRequest({ depositMode: 'MEMO' })],
    ['is confidential', ofRequest({ confidentiality: 'basic' })],
    ['names a memo', ofQuote({ depositMemo: '1' })],
    ['hands a message on', ofRequest({ customRecipientMsg: 'x' })],
    ['goes by another chain', ofQuote({ virtualChainRecipient: `0x${'ab'.repeat(20)}` })],
    ['is deposited at an account that somebody may hold', ofQuote({ depositAddress: 'ada.near' })],
    ['takes more than was asked', ofQuote({ amountIn: '10000001' })],
    ['needs more than the deposit', ofQuote({ minAmountIn: '10000001' })],
    ['promises next to nothing', ofQuote({ minAmountOut: '1' })],
    ['promises nothing', ofQuote({ amountOut: '0', minAmountOut: '0' })],
    ['promises more than it says', ofQuote({ amountOut: '1' })],
  ])('when it %s', async (_, change) => {
    world.loopback.quoteChange = change;
    expect(await comesOf(exactInput())).toBe('provider_rejected');
  });

  it('when it would pay the wallet itself', async () => {
    world.loopback.quoteChange = ofQuote({ depositAddress: stage.wallet.address });
    expect(await comesOf(exactInput())).toBe('provider_rejected');
  });

  it('when it promises less than what is to be received, or takes more than the wallet may spend', async () => {
    world.loopback.quoteChange = ofQuote({ minAmountOut: '999999999999999999999999' });
    expect(await comesOf(exactOutput())).toBe('provider_rejected');
    world.loopback.quoteChange = ofQuote({ amountIn: '200000001' });
    expect(await comesOf(exactOutput())).toBe('insufficient_balance');
  });

  it('when its deposit address is inactive by now, or it does not say how long it is not', async () => {
    world.loopback.quoteChange = ofQuote({ timeWhenInactive: world.now() });
    expect(await comesOf(exactInput())).toBe('quote_expired');
    world.loopback.quoteChange = ofQuote({ deadline: undefined, timeWhenInactive: undefined });
    expect(await comesOf(exactInput())).toBe('unavailable');
  });
});

describe('a quote that was altered on its way', () => {
  it(
    'in any one member is never signed for',
    async () => {
      const order = exactInput();
      const { quote } = await stage.plan(order);
      const random = seededRandom(1_721);
      const answered = (text: string): void => {
        world.loopback.instead = (asked) => (asked === 'POST /v0/quote' ? text : null);
      };
      answered(quote ?? '');
      expect(await comesOf(order)).toBe('planned');
      const taken: string[] = [];
      for (let count = 0; count < alterations; count += 1) {
        const { text, member } = altered(JSON.parse(quote ?? '') as QuoteAnswer, random);
        answered(text);
        if ((await comesOf(order)) === 'planned') taken.push(`${member}: ${text}`);
      }
      expect(taken).toEqual([]);
      process.stdout.write(`quotes: ${alterations} altered in one member, 0 signed for\n`);
    },
    timeoutMs,
  );

  it('or was signed by somebody else is not signed for', async () => {
    const order = exactInput();
    const { quote } = await stage.plan(order);
    const stranger = await startNearProvider();
    const signed = JSON.parse(quote ?? '') as QuoteAnswer;
    const { signature } = JSON.parse((await strangersPlan(stranger)) ?? '') as QuoteAnswer;
    await stranger.stop();
    world.loopback.instead = (asked) => (asked === 'POST /v0/quote' ? JSON.stringify({ ...signed, signature }) : null);
    expect(await comesOf(order)).toBe('provider_rejected');
  });
});

async function strangersPlan(stranger: NearUnderTest): Promise<string | null> {
  const other = await stageOn(stranger);
  await other.begin();
  return (await other.plan(other.swapUsdc('10000000'))).quote;
}

/** Members without effect on the transfer: an id for the log, and fees that the amounts already contain. */
const unbound = ['correlationId', 'appFees'];

/** The answer with one member changed or removed. */
function altered(answer: QuoteAnswer, random: () => number): { readonly text: string; readonly member: string } {
  const places = Object.entries(answer).flatMap(([name, value]) =>
    typeof value === 'object' ? Object.keys(value).map((inner) => [name, inner]) : [[name]],
  );
  const candidates = places.filter((path) => !unbound.includes(path.at(-1) ?? ''));
  const path = candidates[Math.floor(random() * candidates.length)] ?? [];
  const copy = structuredClone(answer) as unknown as Record<string, unknown>;
  const [holder, name] =
    path.length === 1 ? [copy, path[0] ?? ''] : [copy[path[0] ?? ''] as Record<string, unknown>, path[1] ?? ''];
  // An answer without confidentiality is public, so removing it changes nothing.
  if (random() < 0.1 && name !== 'confidentiality') delete holder[name];
  else holder[name] = otherThan(holder[name], random);
  return { text: JSON.stringify(copy), member: path.join('/') };
}

function otherThan(value: unknown, random: () => number): unknown {
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'number') return value + 1 + Math.floor(random() * 100);
  if (typeof value !== 'string') throw new Error(`a member of another kind: ${JSON.stringify(value)}`);
  const at = Math.floor(random() * value.length);
  const character = value.charAt(at) === '1' ? '2' : '1';
  if (random() < 0.2) return `${value}1`;
  return value.slice(0, at) + (random() < 0.3 ? '' : character) + value.slice(at + 1);
}
