import type { Deployment } from '@app/testing/deployment';
import { auditJournal, settled, unlikeAReplay, openedEvents } from '@app/testing/audits';
import { Load } from './load';

const nothing = { wrong: [], left: [], unlike: [], lost: [], doubled: [], stuck: [], gaps: [], books: [] };

export interface Disturbance {
  readonly rounds: number;
  /** The number of parallel callers; each uses the next api replica. */
  readonly callers: number;
  /** The limit of each wait until all callers are served. */
  readonly withinMs: number;
  /** Called once in every round, while the load continues. */
  disturb(round: number): Promise<void>;
  /** Called once all callers are served again. */
  recovered?(): void;
  /** Describes the disturbances for the line of figures. */
  done(): string;
}

/**
 * Disturbs a deployment under load, round after round; all callers are served before and after. Checks at the end that
 * everything acknowledged exists exactly once, that all books agree, and that callers saw no error other than 503
 * `retryable`. Prints a line of figures.
 */
export async function disturbUnderLoad(
  deployment: Deployment,
  { rounds, callers, withinMs, disturb, recovered, done }: Disturbance,
): Promise<void> {
  const users = await Promise.all(Array.from({ length: callers }, () => deployment.newUser()));
  const { baseUrls, databaseUrl, eventStoreUrl } = deployment;
  const load = new Load(users.map((user, index) => user.via(baseUrls[index % baseUrls.length] ?? '')));
  let slowestBackMs = 0;
  try {
    for (let round = 0; round < rounds; round += 1) {
      await load.untilServed(withinMs);
      await disturb(round);
      slowestBackMs = Math.max(slowestBackMs, await load.untilServed(withinMs));
      recovered?.();
    }
  } finally {
    await load.stop();
  }
  const { events, left } = await settled(databaseUrl, eventStoreUrl);
  const audit = auditJournal(await openedEvents(databaseUrl, events), load.acknowledged, []);
  const unlike = await unlikeAReplay(databaseUrl, events);
  process.stdout.write(
    `${done()}, ${load.acknowledged.length} acknowledged, ${audit.lost.length} lost, ${load.refusals} answers 503 retryable, ` +
      `${load.wrong.length} others, back within ${Math.round(slowestBackMs)} ms, slowest answer ${Math.round(load.slowestMs)} ms\n`,
  );
  expect({ wrong: load.wrong, left, unlike, ...audit }).toEqual(nothing);
}
