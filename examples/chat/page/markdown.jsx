import ReactMarkdown from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { AsWritten, OrAsWritten } from './as-written.jsx';
import { boundLevels, nestsTooDeep } from './nesting.js';

/** Schemes of links, which may only lead to other pages of the web or to a mail. */
const schemes = ['http:', 'https:', 'mailto:'];

/**
 * A text of the agent. Only Markdown in it is markup: HTML stays text, images are named and not loaded (the address of an image can
 * carry the conversation to the server of the image), and links lead to the web and open in a new tab. A text that nests too deep, or
 * cannot be rendered, is shown as it was written.
 * @param {{ text: string }} props
 */
export function Markdown({ text }) {
  if (nestsTooDeep(text)) return <AsWritten text={text} />;
  return (
    <OrAsWritten text={text}>
      <div className="text markdown">
        <ReactMarkdown
          remarkPlugins={[remarkGfm, boundLevels]}
          urlTransform={safeUrl}
          components={{ a: Link, img: Named, table: Table }}
        >
          {text}
        </ReactMarkdown>
      </div>
    </OrAsWritten>
  );
}

/** @param {string} url */
function safeUrl(url) {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  return parsed !== null && schemes.includes(parsed.protocol) ? url : '';
}

/** @param {import('react').ComponentProps<'a'>} props */
function Link({ href, children }) {
  if (href === undefined || href === '') return <span>{children}</span>;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
}

/** @param {import('react').ComponentProps<'img'>} props */
function Named({ alt }) {
  return <span className="quiet">[picture{alt ? `: ${alt}` : ''}]</span>;
}

/** @param {import('react').ComponentProps<'table'>} props */
function Table({ children }) {
  return (
    <div className="scrolled" tabIndex={0} role="group" aria-label="Table">
      <table>{children}</table>
    </div>
  );
}
