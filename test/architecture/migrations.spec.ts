import { readStore } from '@app/composition';
import { readStoreMigrations } from '@app/read-store';

/** Names as recorded in databases: none of them may be renamed or removed. */
const released = [
  'CreateReadStore1700000000000',
  'TellTroubles1700000000001',
  'CreateUserPlaces1700000000002',
  'CreateConversations1700000000010',
  'CreateRuns1700000000020',
  'ShareExecutionSlots1700000000021',
  'KeepRequestsAsSent1700000000022',
  'MarkEstimates1700000000023',
  'CreatePartnerKeys1700000000100',
  'CreateUsers1700000000200',
  'CreateBudgetReservations1700000000300',
  'CreateStreamSockets1700000000400',
  'CreateTimers1700000000500',
  'CreateSandboxState1700000000510',
  'CreateRateWindows1700000000520',
  'CreateSealingCheck1700000000530',
  'CreateWalletKeys1700000000600',
  'CreateFinancialOperations1700000000601',
  'CreateSandboxLedger1700000000620',
  'CreateApprovals1700000000630',
  'AddApprovalTerms1700000000631',
  'CreateBudgetEntries1700000000640',
  'CreateArtifacts1700000000660',
  'OwnArtifacts1700000000661',
  'CreateAutomations1700000000670',
  'CreateAutomationInputs1700000000671',
  'CreateAutomationChecks1700000000672',
  'CreateWebhookKeys1700000000673',
  'CreateAutomationPlaces1700000000674',
  'AddInputOutcomes1700000000675',
  'CreateSourceSamples1700000000680',
  'CreateActivity1700000000700',
  'WeighRequests1700000000725',
  'CreateWebhookEndpoints1700000000800',
  'CreateWebhookEndpointKeys1700000000801',
];

describe('the migrations of the product', () => {
  const names = [...readStoreMigrations, ...readStore.migrations].map(({ name }) => name);

  it('keep the names under which databases know them', () => {
    expect(names).toEqual(expect.arrayContaining(released));
  });
});
