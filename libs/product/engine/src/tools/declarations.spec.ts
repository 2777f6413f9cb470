import { artifactRead } from './artifact-read';
import { automationTools } from './automation-tools';
import { currentTime } from './current-time';
import { intentsTransfer } from './intents-transfer';
import { tokenPrice } from './token-price';
import { walletBalances } from './wallet-balances';

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
