/** A token is renewed this long before it expires, or at half of its life when that is shorter. */
const renewBeforeMs = 60_000;

/**
 * Keeps an access token fresh: answers a function that gives one which is good for a while. Many who ask at once share one renewal.
 * @param {() => Promise<import('./sign-in.js').AccessToken>} issueToken
 * @returns {(ask: { renew: boolean }) => Promise<string>} with `renew` the last token was refused, whatever its age says
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
