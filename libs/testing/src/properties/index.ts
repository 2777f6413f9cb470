export { actions, amounts, contractBounds, contracts, tokenIds, usdValues } from './contracts';
export { alterations } from './alterations';
export { mutationsOf } from './json-mutations';
export { jsonOf, otherThan, placesIn, replaced, valueAt } from './json-places';
