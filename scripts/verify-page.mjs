// Makes verify.html of libs/clients/verify/page: one file with its code, its style and its licenses, which may load nothing from any
// network.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { StepFailed } from './tool.mjs';

/** Builds the page. `folder` has page.html and page.css; `code` is a classic script. */
export function pageOf(folder, code, licenses) {
  const [html, style] = ['page.html', 'page.css'].map((name) => readFileSync(path.join(folder, name), 'utf8'));
  const charset = '<meta charset="utf-8" />';
  return [
    [charset, `${charset}\n    <meta http-equiv="Content-Security-Policy" content="${policyOf(code, style)}" />`],
    ['<link rel="stylesheet" href="page.css" />', `<style>${style}</style>`],
    ['<pre id="licenses"></pre>', `<pre id="licenses">${escaped(licenses)}</pre>`],
    ['<script src="page.ts"></script>', `<script>${code}</script>`],
  ].reduce(withReplaced, html);
}

/** Allows this code and this style; forbids loading, sending, opening and evaluating anything, and using text as markup. */
function policyOf(code, style) {
  return [
    "default-src 'none'",
    `script-src '${hashOf(code)}'`,
    `style-src '${hashOf(style)}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}

/** The hash that a browser computes of the text between the tags: it must read the same there. Source: CSP Level 3, "hash-source". */
function hashOf(text) {
  if (/<\/(script|style)|<!--|[\r\0]/i.test(text))
    throw new StepFailed('building verify.html', 'its code or style would not read the same in HTML');
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

function withReplaced(html, [tag, replacement]) {
  const [before, after, ...others] = html.split(tag);
  if (after === undefined || others.length > 0) throw new StepFailed('building verify.html', `not one ${tag}`);
  return before + replacement + after;
}

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
