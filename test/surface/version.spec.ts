import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { asyncApiOf, openApiOf } from '@app/composition';
import { isJsonObject, productVersion } from '@app/kernel';
import { readConfiguration } from '@app/settings';

const root = join(__dirname, '..', '..');
const configuration = readConfiguration({
  PARLEY_SECRET_KEY: Buffer.from(`${'version'.repeat(5)}`).toString('base64'),
});

describe('one version', () => {
  it.each(['.', 'libs/clients/client', 'examples/partner-backend', 'examples/tools'])(
    'is that of the package %s',
    (folder) => {
      const manifest: unknown = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
      expect(manifest).toMatchObject({ version: productVersion });
    },
  );

  it('is that of the client which the example names', () => {
    const manifest: unknown = JSON.parse(readFileSync(join(root, 'examples/partner-backend/package.json'), 'utf8'));
    expect(manifest).toMatchObject({ dependencies: { '@parley/client': productVersion } });
  });

  it('is that of the documents, which name the revision of the specification apart', async () => {
    for (const document of [await openApiOf(configuration), asyncApiOf(configuration)]) {
      const info = 'info' in document && isJsonObject(document.info) ? document.info : {};
      expect(info).toMatchObject({ version: productVersion, 'x-specification-revision': '2.0.0' });
    }
  });

  it('is the newest of the changelog', () => {
    const [newest] = /^## \S+/m.exec(readFileSync(join(root, 'CHANGELOG.md'), 'utf8')) ?? [];
    expect(newest).toBe(`## ${productVersion}`);
  });
});
