import type { Configuration } from '@app/settings';
import { halfNamed, namedStores, type NamedStores } from '../stores/named-stores';
import { CommandFailed } from '../terminal/outcome';
import { finding, type Finding } from './doctor-finding';

/** The stores that the checks are about; null if they are not of one deployment, which `halfFindings` reports. */
export async function storesOf(configuration: Configuration): Promise<NamedStores | null> {
  try {
    return await namedStores(configuration);
  } catch (error) {
    if (error instanceof CommandFailed) return null;
    throw error;
  }
}

/** Reports one store that is named while the Parley that runs on the data folder uses another. */
export async function halfFindings(configuration: Configuration): Promise<readonly Finding[]> {
  const { env } = configuration;
  const isHalf = (env.DATABASE_URL === undefined) !== (env.EVENTSTORE_URL === undefined);
  const named = await storesOf(configuration);
  const runsElsewhere = named === null || named.running === 'others';
  return isHalf && runsElsewhere ? [finding('stores', 'bad', halfNamed(env, true))] : [];
}
