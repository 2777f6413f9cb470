import type { TestClient } from '@app/testing/client';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import { atRest } from '@app/testing/journeys';

/** The deployment and clients of a test. */
export interface TwoReplicas {
  readonly deployment: Deployment;
  /** New in each test. */
  readonly user: TestClient;
  /** The same user on the other replica. */
  readonly there: TestClient;
}

/**
 * One deployment of two replicas, whose model answers at once, for all tests of a file. `begin` is called before each
 * of them.
 */
export function onTwoReplicas(begin: (stage: TwoReplicas) => void): void {
  let deployment: Deployment;
  beforeAll(async () => {
    deployment = await startDeployment({ mode: 'in-process', replicas: { api: 2 } });
    await deployment.sandbox('PUT', 'faults', { model: { delayMs: 0 } });
  });
  beforeEach(async () => {
    const user = await deployment.newUser();
    begin({ deployment, user, there: user.via(deployment.baseUrls[1] ?? '') });
  });
  afterEach(() => atRest(deployment));
  afterAll(() => deployment.stop());
}
