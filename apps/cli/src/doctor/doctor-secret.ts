import { countSealed, opensSealed, type SealedCounts } from '@app/composition';
import { readSecrets } from '@app/data-folder';
import type { Database } from '@app/read-store';
import { Configuration } from '@app/settings';
import { findingsOf, type Finding } from './doctor-finding';

const { ok, warning, bad } = findingsOf('secret key');

/** Whether the secret key opens each sealed value, and whether any needs an older entry of it. Changes nothing. */
export async function secretKeyFinding(opened: Database, configuration: Configuration): Promise<Finding> {
  const { PARLEY_DATA_DIR: dataDir, PARLEY_SECRET_KEY = (await readSecrets(dataDir))?.secretKey } = configuration.env;
  if (PARLEY_SECRET_KEY === undefined)
    return bad('PARLEY_SECRET_KEY is not set: set the one that the stores were made with');
  const withKey = new Configuration({ ...configuration.env, PARLEY_SECRET_KEY });
  if (!(await opensSealed(opened, withKey)))
    return bad('PARLEY_SECRET_KEY does not open what is sealed here: set the one that it was sealed with');
  return sealedFinding(await countSealed(opened, withKey));
}

function sealedFinding(counts: readonly SealedCounts[]): Finding {
  const inTables = (member: 'older' | 'closed'): string | null => {
    const found = counts.filter((one) => one[member] > 0);
    return found.length === 0 ? null : found.map((one) => `${one[member]} of ${one.table}`).join(', ');
  };
  const [closed, older] = [inTables('closed'), inTables('older')];
  if (closed !== null)
    return bad(`no entry of PARLEY_SECRET_KEY opens ${closed}: add the key that sealed them at its end`);
  return older === null
    ? ok('opens what is sealed')
    : warning(`${older} need an older entry of PARLEY_SECRET_KEY: keep it, and run parley keys rotate-master`);
}
