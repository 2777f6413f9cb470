/**
 * The user's access token, or where to get it. A function is asked before every request, so let it remember the token until
 * shortly before it expires. With `renew` the service has just refused the one that it gave last: give a fresh one.
 */
export type UserToken = string | ((ask: { readonly renew: boolean }) => string | Promise<string>);

/** Both credentials of a request (specification, "Authentication"). */
export class Credentials {
  constructor(
    private readonly partnerKey: string,
    private readonly userToken: UserToken,
  ) {}

  /** Whether a token that was refused as expired can be replaced. */
  get renewable(): boolean {
    return typeof this.userToken === 'function';
  }

  async addTo(headers: Headers, renew: boolean): Promise<Headers> {
    const token = typeof this.userToken === 'function' ? await this.userToken({ renew }) : this.userToken;
    const all = new Headers(headers);
    all.set('x-api-key', this.partnerKey);
    all.set('authorization', `Bearer ${token}`);
    return all;
  }
}
