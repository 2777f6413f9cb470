/**
 * The user's access token, or a function that provides it. The function is called before every request, so let it cache
 * the token until shortly before it expires. `renew` means that the service has just refused the token it last
 * returned: return a fresh one.
 */
export type UserToken = string | ((ask: { readonly renew: boolean }) => string | Promise<string>);

/** The credentials that a request needs. */
export interface Asked {
  /** Whether the last token was refused as expired. */
  readonly renew: boolean;
  /** Whether the request carries the user's token; otherwise only the key. */
  readonly forUser: boolean;
}

/** A call for a user, by a client without a user token. Another attempt cannot help. */
export class NoUserToken extends TypeError {
  constructor() {
    super('userToken is missing: this call is for a user');
  }
}

/** Both credentials of a request (specification, "Authentication"). */
export class Credentials {
  /** Throws a TypeError when one is missing. @param userToken undefined: only calls that are not for a user are possible */
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

/** Requires one line of visible ASCII, as a header can carry it. The value is never quoted, because it is a secret. */
function mustBeText(name: string, value: unknown): void {
  if (typeof value !== 'string' || value === '') throw new TypeError(`${name} is missing`);
  if (!/^[!-~]+$/.test(value))
    throw new TypeError(`${name} holds what no header can carry, such as a space or a line break`);
}
