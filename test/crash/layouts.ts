import { TestClient, type Answer } from '@app/testing/client';
import type { Deployment, DeploymentOptions } from '@app/testing/deployment';
import { answered } from '@app/testing/journeys';

/** How the roles of a deployment are spread over processes. */
export const layouts = ['in one process', 'apart, over two replicas'] as const;
export type Layout = (typeof layouts)[number];

/**
 * How that layout is started so that what has the role can be killed: the one process, or both replicas of the role as processes, and
 * both of the other in the jest process.
 */
export function spread(layout: Layout, role: 'api' | 'worker'): Pick<DeploymentOptions, 'mode' | 'replicas'> {
  return layout === 'in one process'
    ? { mode: 'together' }
    : { mode: `${role}-apart`, replicas: { api: 2, worker: 2 } };
}

/** Asks again when a process dies meanwhile; for what does no harm when it is asked twice. */
export class PatientClient extends TestClient {
  /** The user as seen through one of the apis, in turn. */
  static of({ baseUrls }: Deployment, user: TestClient, turn = 0): PatientClient {
    const baseUrl = baseUrls[turn % baseUrls.length] ?? user.baseUrl;
    return new PatientClient(baseUrl, user.partnerKey, user.token, user.userId);
  }

  /**
   * What was not found may not be projected yet, and what conflicts may have been done although its answer was lost: the caller knows
   * what that means.
   */
  override async request<Body = Record<string, unknown>>(
    method: string,
    path: string,
    body?: object,
  ): Promise<Answer<Body>> {
    return answered(() => super.request<Body>(method, path, body), { orStatus: [404, 409] });
  }
}
