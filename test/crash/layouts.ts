import { TestClient, type Answer } from '@app/testing/client';
import type { Deployment, DeploymentOptions } from '@app/testing/deployment';
import { answered } from '@app/testing/journeys';

/** The distribution of a deployment's roles over processes. */
const layouts = ['in one process', 'apart, over two replicas'] as const;
export type Layout = (typeof layouts)[number];

/** The layouts that a suite tries: this one, which kills what the suite is about, and all with FIGURES=full. */
export function layoutsTried(layout: Layout): readonly Layout[] {
  return process.env['FIGURES'] === 'full' ? layouts : [layout];
}

/**
 * The options that start the layout such that the role can be killed: as the single process, or with both replicas of
 * the role as processes and both of the other role in the jest process.
 */
export function spread(layout: Layout, role: 'api' | 'worker'): Pick<DeploymentOptions, 'mode' | 'replicas'> {
  return layout === 'in one process'
    ? { mode: 'together' }
    : { mode: `${role}-apart`, replicas: { api: 2, worker: 2 } };
}

/** Repeats a request whose process dies meanwhile. For requests that are safe to repeat. */
export class PatientClient extends TestClient {
  /** A client of the user for one of the apis, in turn. */
  static of({ baseUrls }: Deployment, user: TestClient, turn = 0): PatientClient {
    const baseUrl = baseUrls[turn % baseUrls.length] ?? user.baseUrl;
    return new PatientClient(baseUrl, user.partnerKey, user.token, user.userId);
  }

  /**
   * Returns 404 and 409 to the caller, who knows their meaning: a missing resource may not be projected yet, and a
   * conflicting request may have succeeded although its answer was lost.
   */
  override async request<Body = Record<string, unknown>>(
    method: string,
    path: string,
    body?: object,
  ): Promise<Answer<Body>> {
    return answered(() => super.request<Body>(method, path, body), { orStatus: [404, 409] });
  }
}
