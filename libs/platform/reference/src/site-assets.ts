import { createHash } from 'node:crypto';
import { extname } from 'node:path';
import { rendererScript, rendererVersion } from './renderer-script';
import { readSiteFile } from './site-folder';

export interface SiteAsset {
  readonly type: string;
  readonly bytes: Buffer;
}

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};
const folder = '/docs/assets/';
const ownFiles = ['style.css', 'icon.svg', 'reference.js', 'guide.js'] as const;
const rendererFile = `scalar-${rendererVersion}.js`;
const digestLength = 12;

/** The parts of the pages of `/docs`, each under a name that changes with its content. */
export class SiteAssets {
  private readonly files = new Map<string, SiteAsset>();
  private readonly names = new Map<string, string>();
  private renderer: Promise<Buffer> | null = null;

  /** @throws Error when one of the files is missing */
  constructor() {
    for (const file of ownFiles) {
      const bytes = Buffer.from(readSiteFile('assets', file), 'utf8');
      const type = extname(file);
      const digest = createHash('sha256').update(bytes).digest('hex').slice(0, digestLength);
      const name = `${file.slice(0, -type.length)}-${digest}${type}`;
      this.names.set(file, name);
      this.files.set(name, { type: types[type] ?? '', bytes });
    }
  }

  /** The address of a file. */
  address(file: (typeof ownFiles)[number] | 'scalar.js'): string {
    return `${folder}${file === 'scalar.js' ? rendererFile : (this.names.get(file) ?? file)}`;
  }

  /** The file of this name, or null. */
  async find(name: string): Promise<SiteAsset | null> {
    if (name !== rendererFile) return this.files.get(name) ?? null;
    this.renderer ??= rendererScript();
    try {
      return { type: types['.js'] ?? '', bytes: await this.renderer };
    } catch (error) {
      this.renderer = null; // the next request tries again
      throw error;
    }
  }
}
