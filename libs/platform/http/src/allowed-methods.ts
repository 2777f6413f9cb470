import type { FastifyInstance } from 'fastify';
import findMyWay from 'find-my-way';

const methods = ['DELETE', 'GET', 'HEAD', 'PATCH', 'POST', 'PUT'] as const;

/** Knows which methods the routes that are registered from here on serve at a path, for the `Allow` of a 405. */
export class AllowedMethods {
  private readonly router = findMyWay({ maxParamLength: 16_384 });
  private readonly partnerUrls = findMyWay({ maxParamLength: 16_384 });

  constructor(fastify: FastifyInstance) {
    for (const pattern of ['/v1', '/v1/*']) this.partnerUrls.on('GET', pattern, () => undefined);
    fastify.addHook('onRoute', (route) => {
      for (const method of [route.method].flat()) this.add(method, route.url);
    });
  }

  /** The methods, in alphabetical order; none when no route serves the path. */
  methodsFor(url: string): readonly string[] {
    return methods.filter((method) => this.router.find(method, url) !== null);
  }

  /** Whether a URL lies under `/v1`, spelled with escapes or not; false for one that cannot be decoded. */
  isPartnerUrl(url: string): boolean {
    return this.partnerUrls.find('GET', url) !== null;
  }

  private add(method: string, url: string): void {
    const known = methods.find((candidate) => candidate === method);
    if (known === undefined) throw new Error(`a route for ${method}: add the method to the list above`);
    this.router.on(known, url, () => undefined);
  }
}
