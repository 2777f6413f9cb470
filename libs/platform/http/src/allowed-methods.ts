import type { FastifyInstance } from 'fastify';
import findMyWay from 'find-my-way';

const methods = ['DELETE', 'GET', 'HEAD', 'PATCH', 'POST', 'PUT'] as const;

/** The methods that the routes registered from now on serve at a path, for the `Allow` of a 405. */
export class AllowedMethods {
  private readonly router = findMyWay({ maxParamLength: 16_384 });
  private readonly partnerUrls = underneath('/v1');
  private readonly feedUrls = underneath('/feed/v1');
  private readonly operatorUrls = underneath('/operator/v1');

  constructor(fastify: FastifyInstance) {
    fastify.addHook('onRoute', (route) => {
      for (const method of [route.method].flat()) this.add(method, route.url);
      if (route.config?.contract?.area === 'operator') this.addForOperators(route.url);
    });
  }

  /** The methods, in alphabetical order; empty if no route serves the path. */
  methodsFor(url: string): readonly string[] {
    return methods.filter((method) => this.router.find(method, url) !== null);
  }

  /** The area whose credentials a URL requires, spelled with escapes or not; null if it requires none or cannot be decoded. */
  areaOf(url: string): 'partner' | 'feed' | 'operator' | null {
    if (this.partnerUrls.find('GET', url) !== null) return 'partner';
    if (this.feedUrls.find('GET', url) !== null) return 'feed';
    return this.operatorUrls.find('GET', url) === null ? null : 'operator';
  }

  /** Most are under `/operator/v1` anyway. */
  private addForOperators(url: string): void {
    if (this.operatorUrls.findRoute('GET', url) === null) this.operatorUrls.on('GET', url, () => undefined);
  }

  private add(method: string, url: string): void {
    const known = methods.find((candidate) => candidate === method);
    if (known === undefined) throw new Error(`a route for ${method}: add the method to the list above`);
    this.router.on(known, url, () => undefined);
  }
}

/** A router that matches a path and everything below it. */
function underneath(path: string): ReturnType<typeof findMyWay> {
  const router = findMyWay({ maxParamLength: 16_384 });
  for (const pattern of [path, `${path}/*`]) router.on('GET', pattern, () => undefined);
  return router;
}
