// ┌──────────────────────────────────────────────────────────────────────────────────────────────────────────────────┐
// │ THE ONE PLACE TO REPLACE. This login is a fake: it accepts any name without a check.                             │
// │ Put your own here: check the password, the passkey or the code of your OpenID provider, and let `issueToken`     │
// │ ask that provider for access tokens (the grant of the refresh token). Parley verifies them against OIDC_ISSUER.  │
// └──────────────────────────────────────────────────────────────────────────────────────────────────────────────────┘

const tokenLifeSeconds = 600;

/**
 * @typedef {object} AccessToken as the token endpoint of an OpenID provider returns it
 * @property {string} accessToken
 * @property {number} expiresInSeconds
 *
 * @typedef {object} Identity a user who signed in
 * @property {string} name the name that the page shows
 * @property {() => Promise<AccessToken>} issueToken requests a new access token for them; called whenever one is needed
 */

/**
 * Signs a user in by name only, with the issuer that is built into Parley's sandbox.
 * @param {string} baseUrl
 * @param {string} name
 * @returns {Promise<Identity>}
 */
export async function signIn(baseUrl, name) {
  const subject = `example:${name.trim().toLowerCase()}`;

  async function issueToken() {
    const answer = await fetch(new URL('/sandbox/v1/tokens', baseUrl), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ subject, expiresInSeconds: tokenLifeSeconds }),
    });
    if (!answer.ok) throw new Error(`the sandbox's issuer answered ${answer.status}`);
    const { accessToken } = await answer.json();
    return { accessToken: String(accessToken), expiresInSeconds: tokenLifeSeconds };
  }

  return { name: name.trim(), issueToken };
}
