// Hands the service's own document to the renderer, ready to send: this origin, and in a sandbox its credentials and its user.
(async () => {
  const access = JSON.parse(document.getElementById('sandbox-access').textContent);
  const answer = await fetch('/openapi.json');
  if (!answer.ok) throw new Error(`/openapi.json answered ${answer.status}`);
  const described = await answer.json();
  described.servers = [{ url: window.location.origin }];
  for (const operation of Object.values(described.paths).flatMap((path) => Object.values(path))) {
    // The name under which logs, traces and the specification know it.
    operation.description = ['`' + operation.operationId + '`', operation.description ?? ''].join('\n\n').trim();
    const user = operation.parameters?.find((parameter) => parameter.in === 'path' && parameter.name === 'userId');
    if (access !== null && user !== undefined) user.example = access.userId;
  }

  const schemes = Object.entries(described.components?.securitySchemes ?? {});
  const credentials = Object.fromEntries(
    schemes.flatMap(([name, scheme]) => {
      if (access === null) return [];
      if (scheme.type === 'http') return [[name, { token: access.userToken }]];
      return scheme.name?.toLowerCase() === 'x-api-key' ? [[name, { value: access.partnerKey }]] : [];
    }),
  );

  window.Scalar.createApiReference('#reference', {
    content: described,
    theme: 'default',
    layout: 'modern',
    // Nothing from anywhere else: no fonts, no proxy, no telemetry, no hosted client or assistant.
    withDefaultFonts: false,
    proxyUrl: '',
    telemetry: false,
    hideClientButton: true,
    showDeveloperTools: 'never',
    agent: { disabled: true },
    mcp: { disabled: true },
    persistAuth: false,
    documentDownloadType: 'direct',
    defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
    authentication: { preferredSecurityScheme: [['partnerKey', 'userToken']], securitySchemes: credentials },
  });

  new MutationObserver(nameParts).observe(document.body, { subtree: true, childList: true });
  nameParts();
})().catch((error) => {
  const place = document.getElementById('reference');
  place.className = 'prose';
  place.textContent = `The reference could not be shown (${error.message}). All of it is in /openapi.json.`;
});

/** What the renderer leaves without a name, or with one that another part of the page has, for those who hear the page. */
function nameParts() {
  const within = (selector) => document.querySelectorAll(selector);
  for (const button of within('.scalar-code-copy:not([aria-label])'))
    button.setAttribute('aria-label', 'Copy the code');
  for (const button of within('.show-more[aria-label]')) button.removeAttribute('aria-label'); // its text is its name
  for (const card of within('.scalar-card[role="region"]')) card.setAttribute('role', 'group');
  for (const field of within('.code-input-lite__editor[role="combobox"]:not([aria-label])')) {
    field.setAttribute('aria-label', field.dataset.placeholder || 'Value');
    if (!field.hasAttribute('aria-expanded')) field.setAttribute('aria-expanded', 'false');
  }
}
