/** Histories in which a contract did not cover the call, and some in which it did, each by its name. */
import { asId, type ToolCallId, type WalletId } from '@app/kernel';
import {
  at,
  contractUsed,
  decided,
  expired,
  ids,
  opened,
  openedContract,
  settledActions,
  terms,
} from './approval-facts';
import { covered, History } from './histories';

type Authority = NonNullable<Parameters<typeof covered>[0]>;
export interface Forged {
  readonly name: string;
  readonly history: History;
}

const approved = { ...decided('approved', 30), approvalId: ids.contractApprovalId, runKey: null };
const another = '018f0000-0000-7000-8000-00000000abcd';
const fingerprint = `sha256:${'0'.repeat(64)}`;
const { contract } = openedContract();
const withBounds = (changes: object) =>
  // Reason for the assertion: some of these bounds are those of no contract of ours.
  openedContract({ contract: { ...contract, bounds: { ...contract?.bounds, ...changes } } as typeof contract });
const actions = contract?.actions.map((action) => ({ ...action, quantity: { kind: 'all_of_input' as const } })) ?? [];
const decidedByContract = { ...decided('approved', 50), decidedBy: 'automation_contract' as const };

function forged(name: string, ...authority: Authority): Forged {
  return { name, history: covered(authority) };
}

/** The contract that was opened with these changes, approved and used. */
function asked(name: string, changes: Parameters<typeof openedContract>[0]): Forged {
  return forged(name, openedContract(changes), approved, contractUsed());
}

function used(name: string, changes: Parameters<typeof contractUsed>[0]): Forged {
  return forged(name, openedContract(), approved, contractUsed(changes));
}

export const heldAuthorities: readonly Forged[] = [
  used('of exactly what one use may move', { usd: '10.5' }),
  used('of nothing', { usd: '0' }),
  used('of a fraction', { usd: '10.499999999999999999999999999999999999' }),
  used('just before its end', { at: new Date(Date.parse(at(600)) - 1).toISOString() as typeof approved.at }),
  forged('of a contract with odd numbers and names', openedContract({ input: oddInput() }), approved, contractUsed()),
];

/** Values that RFC 8785 writes in forms of their own. */
function oddInput() {
  const numbers = [1e21, 1e-7, 123456789.125, -0.5, 5e-324, 1.7976931348623157e308, 1e20, 0.000001, 9007199254740993];
  return { numbers, '😀': 1, '\uFB33': 2, é: '\u0000\u001F\u007F"\\\u2028', Z: true, a: null };
}

export const forgedAuthorities: readonly Forged[] = [
  used('after its end', { at: at(600) }),
  ...['10.500000000000000001', '107', '-1', '-', '', '1e1', '010', ' 1', '١', '1.'].map((usd) =>
    used(`of a worth of ${JSON.stringify(usd)}`, { usd }),
  ),
  used('for another tool call', { toolCallId: asId<ToolCallId>('another') }),
  used('for another approval', { approvalId: ids.contractApprovalId }),
  asked('of another wallet', { walletId: asId<WalletId>(another) }),
  asked('of another automation', { automationId: asId<typeof ids.automationId>(another) }),
  asked('of another kind', { kind: 'agent_tool' }),
  forged('under another fingerprint', { ...openedContract(), fingerprint }, approved, contractUsed()),
  asked('of other actions', { contract: contract && { ...contract, actions } }),
  ...[{ maxUses: 0 }, { perUseUsd: '10.4' }, { totalUsd: '10.4' }, { notAfter: at(40) }, { perUseUsd: '11 ' }].map(
    (changes) => forged(`within ${JSON.stringify(changes)}`, withBounds(changes), approved, contractUsed()),
  ),
  forged(
    'without bounds',
    openedContract({ contract: contract && ({ actions: contract.actions } as typeof contract) }),
    approved,
    contractUsed(),
  ), // reason for the assertion: as above
  forged('not approved', openedContract(), contractUsed()),
  forged('approved after its use', openedContract(), contractUsed(), approved),
  forged('denied', openedContract(), { ...approved, status: 'denied' }, contractUsed()),
  forged('approved by a contract', openedContract(), { ...approved, decidedBy: 'automation_contract' }, contractUsed()),
  forged('approved twice', openedContract(), approved, approved, contractUsed()),
  forged('used twice', openedContract(), approved, contractUsed(), contractUsed()),
  forged('never used', openedContract(), approved),
  forged('with a further event', openedContract(), approved, contractUsed(), {
    type: 'contract.superseded',
    at: at(45),
    approvalId: ids.contractApprovalId,
  }),
  {
    name: 'of a call that nobody automated',
    history: History.begin().inConversation(opened()).inConversation(decidedByContract),
  },
  {
    name: 'of a call that its user decided',
    history: History.begin()
      .inAutomation(openedContract(), approved, contractUsed())
      .inConversation({ ...opened(), automationId: ids.automationId })
      .inConversation(decided('approved', 50), 'user'),
  },
  {
    name: 'of a call that expired',
    history: History.begin()
      .inAutomation(openedContract(), approved, contractUsed())
      .inConversation({ ...opened(), automationId: ids.automationId })
      .inConversation(expired),
  },
  {
    name: 'next to an event that does not belong to it',
    history: covered().inConversation({ type: 'conversation.archived', at: at(55) }),
  },
  {
    name: 'used in the operation of another approval',
    history: covered().inOperation(
      another,
      { type: 'operation.used', at: at(70), ...terms({ automationId: ids.automationId }) },
      ...settledActions(another),
    ),
  },
];
