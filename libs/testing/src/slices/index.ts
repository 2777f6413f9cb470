export { eventsOf, replay, rowsOf } from './replay';
export { assembled, foundationReadModels, provisioned, type Replica, Slices, testCause } from './slices-app';
export { ApprovalsApp, capacity, type Waiting } from './approvals-app';
export { away, changed, type Prepared, startWallets, twoReplicas, usdc, walletOwner, WalletUser } from './wallets-app';
