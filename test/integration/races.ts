import type { StoredEvent } from '@app/event-store';
import { readAllEvents, settled } from '@app/testing/audits';
import type { TestClient } from '@app/testing/client';
import type { Deployment } from '@app/testing/deployment';

/** The deployment that all races are run on, and how much its journal held when some of them began. */
export interface Races {
  readonly deployment: Deployment;
  readonly before: number;
}

/** @param faults how the model and the provider are from now on; what is left out is as in a sandbox that nobody has touched */
export async function begin(deployment: Deployment, faults: object): Promise<Races> {
  const none = { model: { delayMs: null }, provider: { settleAfterSeconds: 2 } };
  await deployment.sandbox('PUT', 'faults', none);
  await deployment.sandbox('PUT', 'faults', faults);
  return { deployment, before: (await readAllEvents(deployment.eventStoreUrl)).length };
}

/** What these races have recorded, once the deployment is at rest; and what is still held although nothing goes on. */
export async function recorded({
  deployment,
  before,
}: Races): Promise<{ events: StoredEvent[]; left: readonly string[] }> {
  const { events, left } = await settled(deployment.databaseUrl, deployment.eventStoreUrl);
  return { events: events.slice(before), left };
}

/** The user as seen through each replica. */
export function overReplicas({ deployment }: Races, client: TestClient): TestClient[] {
  return deployment.baseUrls.map((baseUrl) => client.via(baseUrl));
}
