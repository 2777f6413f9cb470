import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { anchorOf, guideNames, readGuides, renderGuide } from './guides';
import { withReasons } from './reasons-table';
import { siteFolder } from './site-folder';

describe('guides', () => {
  it('are all there, with a title each', () => {
    expect(readGuides().map(({ name }) => name)).toEqual(guideNames);
  });

  it('lead to pages and anchors that exist', () => {
    const guides = readGuides();
    const pages = new Set(['/docs', '/docs/events', ...guides.map(({ name }) => `/docs/guides/${name}`)]);
    const links = guides.flatMap(({ html, name }) =>
      [...html.matchAll(/href="([^"]+)"/g)].map(([, href = '']) => ({ name, href })),
    );
    expect(links.length).toBeGreaterThan(guides.length);
    const broken = links.filter(({ name, href }) => {
      if (href.startsWith('https://')) return false;
      const [page = '', anchor] = href.split('#');
      const target = guides.find((guide) => guide.name === (page === '' ? name : page.split('/').at(-1)));
      return (page !== '' && !pages.has(page)) || (anchor !== undefined && !target?.html.includes(`id="${anchor}"`));
    });
    expect(broken).toEqual([]);
  });

  it('let no HTML through, and leave comments out', () => {
    const { html } = renderGuide('x', '# X\n\n<!-- a note -->\n<script>alert(1)</script> [a](javascript:alert(1))\n');
    expect(html).not.toMatch(/<script|note|href="javascript/);
  });

  it('give headings the anchors that GitHub gives them', () => {
    expect(anchorOf('What became of it')).toBe('what-became-of-it');
    expect(anchorOf('Now, whatever the condition says')).toBe('now-whatever-the-condition-says');
  });

  it('hold the table of reasons as it is now (npm run docs)', () => {
    const errors = readFileSync(join(siteFolder(), 'errors.md'), 'utf8');
    expect(withReasons(errors)).toBe(errors);
  });
});
