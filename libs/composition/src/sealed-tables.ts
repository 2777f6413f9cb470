import { logSeedTable } from '@app/audit';
import { webhookKeysTable } from '@app/automations';
import { sealingKeysTable } from '@app/read-store';
import type { SealedTable } from '@app/runtime';
import { walletKeysTable } from '@app/wallets';
import { endpointKeysTable } from '@app/webhooks';

/** Tables whose values are lost with `PARLEY_SECRET_KEY`; nothing else in the stores is. */
export const irreplaceableTables: readonly SealedTable[] = [
  walletKeysTable,
  webhookKeysTable,
  endpointKeysTable,
  sealingKeysTable,
];

/** One value that is sealed with the same key as all others here. */
export const sealingCheckTable: SealedTable = {
  table: 'sealing_check',
  key: 'one',
  keyType: 'boolean',
  value: 'sealed',
  label: 'parley/sealing-check/1',
  boundTo: () => 'sealing_check',
};

/**
 * Every table with sealed values, in the order of a rotation. The check is the last: until all others are sealed under the newest entry, a
 * start that lacks the older one is refused.
 */
export const sealedTables: readonly SealedTable[] = [...irreplaceableTables, logSeedTable, sealingCheckTable];
