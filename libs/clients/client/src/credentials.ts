/**
 * The user's access token, or where to get it. A function is asked before every request, so let it remember the token until
 * shortly before it expires. With `renew` the service has just refused the one that it gave last: give a fresh one.
 */
export type UserToken = string | ((ask: { readonly renew: boolean }) => string | Promise<string>);

/** What credentials a request carries. */
export interface Asked {
  /** The last token was refused as expired. */
  readonly renew: boolean;
  /** False: it asks for the key alone. */
  readonly forUser: boolean;
}

/** A client without a user's token was asked for what is a user's. It never has one, so no attempt is better than another. */
export class NoUserToken extends TypeError {
  constructor() {
    super('userToken is missing: this call is for a user');
  }
}

/** Both credentials of a request (specification, "Authentication"). */
export class Credentials {
  /** Throws a TypeError when one is missing. @param userToken undefined: for what is no user's alone */
  constructor(
    private readonly partnerKey: string,
    private readonly userToken: UserToken | undefined,
  ) {
    mustBeText('partnerKey', partnerKey);
    if (userToken !== undefined && typeof userToken !== 'function') mustBeText('userToken', userToken);
  }

  /** Whether a token that was refused as expired can be replaced. */
  get renewable(): boolean {
    return typeof this.userToken === 'function';
  }

  /** Throws NoUserToken, and a TypeError when the token cannot be sent. */
  async addTo(headers: Headers, { renew, forUser }: Asked): Promise<Headers> {
    const all = new Headers(headers);
    all.set('x-api-key', this.partnerKey);
    if (forUser) all.set('authorization', `Bearer ${await this.token(renew)}`);
    return all;
  }

  private async token(renew: boolean): Promise<string> {
    if (this.userToken === undefined) throw new NoUserToken();
    const token = typeof this.userToken === 'function' ? await this.userToken({ renew }) : this.userToken;
    mustBeText('the token that the function userToken gave', token);
    return token;
  }
}

/** One line of visible ASCII, as a header can carry it. Never quoted: it is a secret. */
function mustBeText(name: string, value: unknown): void {
  if (typeof value !== 'string' || value === '') throw new TypeError(`${name} is missing`);
  if (!/^[!-~]+$/.test(value))
    throw new TypeError(`${name} holds what no header can carry, such as a space or a line break`);
}
