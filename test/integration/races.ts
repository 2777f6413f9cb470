import type { StoredEvent } from '@app/event-store';
import { settled } from '@app/testing/audits';
import { readAllEvents } from '@app/testing/event-log';
import type { TestClient } from '@app/testing/client';
import type { Deployment } from '@app/testing/deployment';

/** The deployment on which all races run, and the number of events when some of them began. */
export interface Races {
  readonly deployment: Deployment;
  readonly before: number;
}

/** @param faults the faults of the model and the provider from now on; missing ones are as in a new sandbox */
export async function begin(deployment: Deployment, faults: object): Promise<Races> {
  const none = { model: { delayMs: null }, provider: { settleAfterSeconds: 2 } };
  await deployment.sandbox('PUT', 'faults', none);
  await deployment.sandbox('PUT', 'faults', faults);
  return { deployment, before: (await readAllEvents(deployment.eventStoreUrl)).length };
}

/** The events of these races once nothing in the deployment is in flight, and everything that is still held then. */
export async function recorded({
  deployment,
  before,
}: Races): Promise<{ events: StoredEvent[]; left: readonly string[] }> {
  const { events, left } = await settled(deployment.databaseUrl, deployment.eventStoreUrl);
  return { events: events.slice(before), left };
}

/** The same user's client for each replica. */
export function overReplicas({ deployment }: Races, client: TestClient): TestClient[] {
  return deployment.baseUrls.map((baseUrl) => client.via(baseUrl));
}
