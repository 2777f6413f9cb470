import { useEffect, useState } from 'react';
import { call, wordsFor } from './call.js';
import { dollars, scaled } from 'partner-backend-example/page/money.js';

/**
 * The assets of the user.
 * @param {{ tools: import('./shell.jsx').Tools }} props
 */
export function WalletPage({ tools }) {
  const [assets, setAssets] = useState(
    /** @type {import('@parley/client').Schemas['WithdrawalAsset'][] | null} */ (null),
  );
  const [problem, setProblem] = useState('');
  const { fail } = tools;

  useEffect(() => {
    call('GET', '/api/wallet').then(
      (wallet) => setAssets(wallet.assets),
      (error) => {
        if (!fail(error)) setProblem(wordsFor(error));
      },
    );
  }, [fail]);

  return (
    <section className="page">
      <h2>Wallet</h2>
      <p role="alert" className="problem">
        {problem}
      </p>
      {assets === null && problem === '' && <p>Loading…</p>}
      {assets?.length === 0 && <p>It is empty.</p>}
      {assets !== null && assets.length > 0 && (
        <table className="wallet">
          <thead>
            <tr>
              <th scope="col">Token</th>
              <th scope="col">Amount</th>
              <th scope="col">Worth</th>
            </tr>
          </thead>
          <tbody>
            {assets.map(({ tokenId, symbol, name, amountRaw, decimals, valueUsdCents }) => (
              <tr key={tokenId}>
                <th scope="row">
                  {symbol} <span className="quiet">{name}</span>
                </th>
                <td>{decimals === null ? `${amountRaw} units` : scaled(amountRaw, decimals)}</td>
                <td>{valueUsdCents === null ? 'no price' : dollars(valueUsdCents)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
