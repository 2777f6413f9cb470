/** A token is renewed this long before it expires, or after half of its lifetime if that is shorter. */
const renewBeforeMs = 60_000;

/**
 * Returns a function that provides an access token that is valid for a while. Concurrent calls share one renewal.
 * @param {() => Promise<import('./sign-in.js').AccessToken>} issueToken
 * @returns {(ask: { renew: boolean }) => Promise<string>} `renew` means that the last token was refused, whatever its age
 */
export function renewingToken(issueToken) {
  /** @type {Promise<string> | null} */
  let renewal = null;
  let token = '';
  let renewAt = 0;

  async function issue() {
    const { accessToken, expiresInSeconds } = await issueToken();
    const lifeMs = expiresInSeconds * 1000;
    token = accessToken;
    renewAt = performance.now() + lifeMs - Math.min(renewBeforeMs, lifeMs / 2);
    return token;
  }

  return async ({ renew }) => {
    if (!renew && performance.now() < renewAt) return token;
    renewal ??= issue().finally(() => (renewal = null));
    return renewal;
  };
}
