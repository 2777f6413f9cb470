import type { Guide } from './guides';

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text for HTML, including attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => escapes[character] ?? character);
}

/** JSON for a `<script type="application/json">`: nothing in it can end the element. */
export function embeddedJson(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', String.raw`\u003c`);
}

/** Addresses of a page's parts; their names change with the content. */
export interface PageAssets {
  readonly style: string;
  readonly icon: string;
}

export interface Page {
  readonly title: string;
  /** The link in the bar that is this page's own. */
  readonly place: 'reference' | 'events' | 'guides';
  readonly bodyClass: string;
  /** HTML. */
  readonly body: string;
  /** Addresses of scripts, run in this order once the page is loaded. */
  readonly scripts: readonly string[];
}

/** A whole page with the bar that all pages of `/docs` share; its links work without JavaScript. */
export function htmlPage(page: Page, assets: PageAssets): string {
  const link = (place: Page['place'], href: string, label: string): string =>
    `<a href="${href}"${place === page.place ? ' aria-current="page"' : ''}>${label}</a>`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(page.title)}</title>
<link rel="icon" href="${assets.icon}" type="image/svg+xml">
<link rel="stylesheet" href="${assets.style}">
</head>
<body class="${page.bodyClass}">
<header class="bar">
<a class="brand" href="/docs">Parley</a>
<nav aria-label="Documentation">
${link('reference', '/docs', 'Reference')}
${link('events', '/docs/events', 'Events')}
${link('guides', '/docs/guides/first-run', 'Guides')}
</nav>
<span class="documents"><a href="/openapi.json">openapi.json</a> <a href="/asyncapi.json">asyncapi.json</a></span>
</header>
${page.body}
${page.scripts.map((src) => `<script src="${src}" defer></script>`).join('\n')}
</body>
</html>
`;
}

/** The guides as a list of links. */
export function guideLinks(guides: readonly Guide[], current: string | null = null): string {
  const items = guides.map(({ name, title }) => {
    return `<li><a href="/docs/guides/${name}"${name === current ? ' aria-current="page"' : ''}>${escapeHtml(title)}</a></li>`;
  });
  return `<ul>${items.join('')}</ul>`;
}
