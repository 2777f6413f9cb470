/**
 * The user's access token, or where to get it. A function is asked before every request, so let it remember the token until
 * shortly before it expires. With `renew` the service has just refused the one that it gave last: give a fresh one.
 */
export type UserToken = string | ((ask: { readonly renew: boolean }) => string | Promise<string>);

/** Both credentials of a request (specification, "Authentication"). */
export class Credentials {
  /** Throws a TypeError when one is missing. */
  constructor(
    private readonly partnerKey: string,
    private readonly userToken: UserToken,
  ) {
    mustBeText('partnerKey', partnerKey);
    if (typeof userToken !== 'function') mustBeText('userToken', userToken);
  }

  /** Whether a token that was refused as expired can be replaced. */
  get renewable(): boolean {
    return typeof this.userToken === 'function';
  }

  async addTo(headers: Headers, renew: boolean): Promise<Headers> {
    const token = typeof this.userToken === 'function' ? await this.userToken({ renew }) : this.userToken;
    mustBeText('the token that the function userToken gave', token);
    const all = new Headers(headers);
    all.set('x-api-key', this.partnerKey);
    all.set('authorization', `Bearer ${token}`);
    return all;
  }
}

/** One line of visible ASCII, as a header can carry it. Never quoted: it is a secret. */
function mustBeText(name: string, value: unknown): void {
  if (typeof value !== 'string' || value === '') throw new TypeError(`${name} is missing`);
  if (!/^[!-~]+$/.test(value))
    throw new TypeError(`${name} holds what no header can carry, such as a space or a line break`);
}
