import { binaryEvent, type EventStoreDBClient } from '@eventstore/db-client';
import { until } from '@app/testing/until';

/** One event of the filler: as large as the server takes, with its envelope. */
const fillerBytes = 1_000_000;
/** More than a chunk of the server's default size, because the last chunk is never scavenged. */
const fillers = 280;

/**
 * Fills the store's last chunk, begins a scavenge, and waits until it has ended. Only an EventStoreDB on disk has one.
 * @param httpUrl the server's HTTP address
 */
export async function scavenge(admin: EventStoreDBClient, httpUrl: string): Promise<void> {
  const filler = () => binaryEvent({ type: '$filler', data: Buffer.alloc(fillerBytes) });
  for (let n = 0; n < fillers; n += 1) await admin.appendToStream('$filler', filler());
  const ask = async (method: string, path: string): Promise<string> => {
    const headers = { accept: 'application/json' };
    const answer = await fetch(`${httpUrl}/admin/scavenge${path}`, { method, headers });
    return ((await answer.json()) as { scavengeId?: string }).scavengeId ?? ''; // the server's own shape
  };
  const begun = await ask('POST', '');
  await until('the scavenge is over', async () => ((await ask('GET', '/current')) === begun ? null : true));
}
