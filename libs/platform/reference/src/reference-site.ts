import type { JsonObject } from '@app/kernel';
import type { Configuration } from '@app/runtime';
import { eventsBody } from './events-page';
import { readGuides, type Guide } from './guides';
import { embeddedJson, escapeHtml, guideLinks, htmlPage, type PageAssets } from './html';
import { isLoopback, sandboxAccess } from './sandbox-access';
import { SiteAssets } from './site-assets';

/** The AsyncAPI document that the service serves. */
export type EventsDocument = (configuration: Configuration) => JsonObject;

/** The pages of `/docs`. Guides and assets are read once, at the start of the process. */
export class ReferenceSite {
  readonly assets = new SiteAssets();
  private readonly guides: readonly Guide[] = readGuides();
  private readonly parts: PageAssets = {
    style: this.assets.address('style.css'),
    icon: this.assets.address('icon.svg'),
  };

  constructor(
    private readonly configuration: Configuration,
    private readonly eventsDocument: EventsDocument,
  ) {}

  /** In a sandbox, the address at which the page must be opened, because its requests are accepted only from the service's own origin. */
  ownAddress(host: string | undefined): string | null {
    const { sandbox, baseUrl } = this.configuration;
    const own = new URL(baseUrl);
    const isSameMachine = sandbox && host !== own.host && host === `localhost:${own.port}`;
    return isSameMachine ? `${baseUrl}/docs` : null;
  }

  /** The reference; in a sandbox, and for a reader on this machine, with the credentials of `sandbox.json`. */
  async referencePage(host: string | undefined, localAddress: string | undefined): Promise<string> {
    const { sandbox, env } = this.configuration;
    const access = sandbox && isLoopback(host, localAddress) ? await sandboxAccess(env.PARLEY_DATA_DIR) : null;
    const body = `<div id="reference"></div>
<noscript><main class="prose"><h1>Parley</h1>
<p>The rendered reference needs JavaScript. All that it shows is in <a href="/openapi.json">openapi.json</a>,
and the events are <a href="/docs/events">here</a>. The guides need none:</p>
${guideLinks(this.guides)}</main></noscript>
<script type="application/json" id="sandbox-access">${embeddedJson(access)}</script>`;
    const scripts = [this.assets.address('scalar.js'), this.assets.address('reference.js')];
    return htmlPage(
      { title: 'Parley: reference', place: 'reference', bodyClass: 'reference', body, scripts },
      this.parts,
    );
  }

  /** A guide's page; null if no guide has the name. */
  guidePage(name: string): string | null {
    const index = this.guides.findIndex((guide) => guide.name === name);
    const guide = this.guides[index];
    if (guide === undefined) return null;
    const next = this.guides[index + 1];
    const onwards =
      next === undefined
        ? ''
        : `<p class="next"><a href="/docs/guides/${next.name}">Next: ${escapeHtml(next.title)}</a></p>`;
    const body = `<div class="columns"><aside aria-label="Guides">${guideLinks(this.guides, name)}</aside>
<main class="prose">${guide.html}${onwards}</main></div>`;
    const scripts = [this.assets.address('guide.js')];
    return htmlPage({ title: `Parley: ${guide.title}`, place: 'guides', bodyClass: 'text', body, scripts }, this.parts);
  }

  /** The page of the journal's events, as the AsyncAPI document describes them. */
  eventsPage(): string {
    const body = eventsBody(this.eventsDocument(this.configuration));
    return htmlPage({ title: 'Parley: events', place: 'events', bodyClass: 'text', body, scripts: [] }, this.parts);
  }
}
