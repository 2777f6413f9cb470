import { words } from '@app/kernel';

/** Words for models about an unusable wallet; only its owner, or an operator, can change that. */
export const noWallet = words`the user has no wallet yet, and only the user can open one`;
export const unusableWallet = words`the wallet is disabled, or must be connected again by its owner`;
