import { artifactRead } from './artifact-read.tool';
import { automationTools } from './automation-create.tool';
import { currentTime } from './current-time.tool';
import { intentsTransfer } from './intents-transfer.tool';
import { tokenPrice } from './token-price.tool';
import { walletBalances } from './wallet-balances.tool';

/** 2,500 tokens of o200k, which read 4.17 bytes of these very declarations as one. */
const bytesMax = 10_420;
// Reason for the assertion: what a tool declares needs none of its parts.
const none = {} as never;

it('the default tools are declared in at most 2,500 tokens', () => {
  const tools = [
    walletBalances(none, none, none),
    tokenPrice(none),
    intentsTransfer(none),
    ...automationTools(none),
    artifactRead(none),
    currentTime(none),
  ];
  const declared = tools.map(({ name, description, inputSchema }) => ({
    type: 'function',
    function: { name, description, parameters: inputSchema },
  }));
  expect(tools).toHaveLength(8);
  expect(Buffer.byteLength(JSON.stringify(declared))).toBeLessThanOrEqual(bytesMax);
});
