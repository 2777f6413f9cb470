const wallet = await parley.wallets.ensure();
console.log(wallet.status, wallet.authStatus); // active ready

const { assets } = await parley.wallets.withdrawalSources();
const usdc = assets.find(({ symbol, withdrawable }) => symbol === 'USDC' && withdrawable);
if (usdc === undefined) throw new Error('there is none');

// Show the user the terms of this, then send the fingerprint back.
const { operationId, fingerprint } = await parley.wallets.prepareWithdrawal({
  tokenId: usdc.tokenId,
  amountRaw: '2500000',
});
const confirmed = await parley.wallets.confirmWithdrawal({ operationId, fingerprint });
console.log(confirmed.status); // submitted
