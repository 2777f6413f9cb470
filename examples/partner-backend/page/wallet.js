import { call } from './backend.js';
import { byId, make } from './elements.js';
import { dollars, scaled, shortened } from './money.js';

/** @typedef {import('@parley/client').Schemas['WithdrawalAsset']} Asset */

/** @type {Map<string, Asset>} the balances that were read last, by token */
let assets = new Map();
let asked = 0;

/** Reads the balances again, shows them at the side, and returns them. */
export async function readWallet() {
  const turn = (asked += 1);
  /** @type {import('@parley/client').Schemas['WithdrawalSources']} */
  const sources = await call('GET', '/api/wallet');
  const read = new Map(sources.assets.map((asset) => [asset.tokenId, asset]));
  if (turn === asked) show(read); // otherwise they were read again meanwhile
  return read;
}

/** Clears the balances of the user who signed out. */
export function clearWallet() {
  asked += 1;
  show(new Map());
}

/** @param {Map<string, Asset>} read */
function show(read) {
  assets = read;
  byId('wallet', HTMLElement).replaceChildren(...[...read.values()].map(line));
}

/**
 * Returns the name of a token: its symbol if the wallet knows one, else its id.
 * @param {string} tokenId
 */
export function nameOf(tokenId) {
  return assets.get(tokenId)?.symbol ?? tokenId;
}

/**
 * Returns an asset's balance in readable form.
 * @param {Asset | undefined} asset undefined when nothing is left of it
 */
export function balanceOf(asset) {
  if (asset === undefined) return '0';
  return asset.decimals === null ? `${asset.amountRaw} units` : scaled(asset.amountRaw, asset.decimals);
}

/** @param {Asset} asset */
function line(asset) {
  const value = asset.valueUsdCents === null ? 'no price' : dollars(asset.valueUsdCents);
  return make(
    'li',
    { title: `${asset.name}: ${balanceOf(asset)}` },
    make('span', { class: 'symbol' }, asset.symbol),
    make('span', { class: 'amount' }, shortened(balanceOf(asset))),
    make('span', { class: 'value quiet small' }, value),
  );
}
