import MarkdownIt from 'markdown-it';
import { readSiteFile } from './site-folder';

/** The guides in reading order; each is a file of `docs/guides`. */
export const guideNames = [
  'first-run' as const,
  'approvals' as const,
  'withdrawals' as const,
  'funding' as const,
  'automations' as const,
  'models-and-agents' as const,
  'streaming' as const,
  'webhooks' as const,
  'feed' as const,
  'errors' as const,
];

export interface Guide {
  readonly name: string;
  readonly title: string;
  /** Rendered when it is first read. */
  readonly html: string;
}

/** Every guide. @throws Error when a file is missing or has no title */
export function readGuides(): readonly Guide[] {
  return guideNames.map((name) => renderGuide(name, readSiteFile(`${name}.md`)));
}

/**
 * Renders one of our guides as HTML. HTML inside Markdown is escaped, comments are left out, and links to other guides' files lead to their
 * pages.
 */
export function renderGuide(name: string, markdown: string): Guide {
  const [, title] = /^# (.+)$/m.exec(markdown) ?? [];
  if (title === undefined) throw new Error(`the guide ${name} has no title`);
  let html: string | undefined;
  return {
    name,
    title,
    get html() {
      html ??= renderer().render(markdown.replace(/^<!--.*?-->\n/gms, ''));
      return html;
    },
  };
}

function renderer(): MarkdownIt.MarkdownIt {
  const markdown = new MarkdownIt({ html: false, linkify: false, typographer: false });
  const { rules } = markdown.renderer;
  rules.heading_open = (tokens, index, options, _env, self) => {
    const content = tokens[index + 1]?.content ?? '';
    tokens[index]?.attrSet('id', anchorOf(content));
    return self.renderToken(tokens, index, options);
  };
  rules.link_open = (tokens, index, options, _env, self) => {
    const token = tokens[index];
    token?.attrSet('href', pageOf(String(token.attrGet('href') ?? '')));
    return self.renderToken(tokens, index, options);
  };
  // A wide table scrolls by itself.
  rules.table_open = () => '<div class="wide"><table>\n';
  rules.table_close = () => '</table></div>\n';
  // So does a long line of code, also with the keyboard.
  const { fence } = rules;
  rules.fence = (...given) => fence?.(...given).replace('<pre>', '<pre tabindex="0">') ?? '';
  return markdown;
}

/** The anchor that GitHub gives a heading, so that links work there and here. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');
}

/** Links in the source work on GitHub: to a guide's file, or to the service that `npm start` runs. */
function pageOf(href: string): string {
  return href.replace(/^([a-z-]+)\.md(?=#|$)/, '/docs/guides/$1').replace(/^http:\/\/127\.0\.0\.1:8080(?=\/docs)/, '');
}
