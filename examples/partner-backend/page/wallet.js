import { call } from './backend.js';
import { byId, make } from './elements.js';
import { dollars, scaled } from './money.js';

/**
 * @typedef {object} Asset
 * @property {string} tokenId
 * @property {string} symbol
 * @property {string} name
 * @property {number | null} decimals
 * @property {string} amountRaw
 * @property {string | null} valueUsdCents
 */

/** @type {Map<string, Asset>} by token; what was read last */
let assets = new Map();

/** Reads the balances again, shows them at the side, and answers them. */
export async function readWallet() {
  /** @type {{ assets: Asset[] }} */
  const sources = await call('GET', '/api/wallet');
  assets = new Map(sources.assets.map((asset) => [asset.tokenId, asset]));
  byId('wallet', HTMLElement).replaceChildren(...sources.assets.map(line));
  return assets;
}

/**
 * What a token is called: its symbol where the wallet knows one, else its id.
 * @param {string} tokenId
 */
export function nameOf(tokenId) {
  return assets.get(tokenId)?.symbol ?? tokenId;
}

/**
 * An asset's balance as a person reads it.
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
    { title: asset.name },
    make('span', { class: 'symbol' }, asset.symbol),
    make('span', { class: 'amount' }, balanceOf(asset)),
    make('span', { class: 'value quiet small' }, value),
  );
}
