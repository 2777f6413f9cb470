import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeRunningStores } from '@app/data-folder';
import { readConfiguration } from '@app/settings';
import { halfFindings } from '../doctor/doctor-stores';
import { openBackedUp } from '../stores/backup';
import { namedStores } from '../stores/named-stores';
import { findDeployment } from './deployment';

const running = { databaseUrl: 'postgres://here/a', eventStoreUrl: 'esdb://here:1?tls=false', managementPort: 9464 };
const [elsewhere, otherEvents] = ['postgres://elsewhere/b', 'esdb://elsewhere:1?tls=false'];
const key = Buffer.alloc(32).toString('base64');
let folder: string;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'parley-found-'))));
afterEach(() => rm(folder, { recursive: true }));

const found = async (named: Record<string, string>) => {
  const { DATABASE_URL, EVENTSTORE_URL } = await findDeployment(
    readConfiguration({ PARLEY_DATA_DIR: folder, PARLEY_SECRET_KEY: key, ...named }),
  );
  return [DATABASE_URL, EVENTSTORE_URL];
};

describe('the stores that a command works on', () => {
  it('are those of the npm start on the data folder, also where one or both of them are named', async () => {
    await writeRunningStores(folder, running);
    const [DATABASE_URL, EVENTSTORE_URL] = [running.databaseUrl, running.eventStoreUrl];
    for (const named of [{}, { DATABASE_URL }, { EVENTSTORE_URL }, { DATABASE_URL, EVENTSTORE_URL }])
      expect(await found(named)).toEqual([DATABASE_URL, EVENTSTORE_URL]);
  });

  it('are those that both variables name, whatever runs here', async () => {
    const both = { DATABASE_URL: elsewhere, EVENTSTORE_URL: otherEvents };
    expect(await found(both)).toEqual([elsewhere, otherEvents]);
    await writeRunningStores(folder, running);
    expect(await found(both)).toEqual([elsewhere, otherEvents]);
  });

  it.each([
    [{ DATABASE_URL: elsewhere }, 'DATABASE_URL', 'EVENTSTORE_URL'],
    [{ EVENTSTORE_URL: otherEvents }, 'EVENTSTORE_URL', 'DATABASE_URL'],
  ])('are refused where %j names half of another deployment', async (named, set, unset) => {
    await expect(found(named)).rejects.toThrow(
      `${set} is set, ${unset} is not, and no Parley runs on ${folder}: set ${unset} too, or unset ${set}`,
    );
    await writeRunningStores(folder, running);
    await expect(found(named)).rejects.toThrow(
      `${set} is set, ${unset} is not, and the Parley that runs on ${folder} uses another: set ${unset} too, or unset ${set}`,
    );
  });

  it('are not backed up with the folder of another deployment', async () => {
    await writeRunningStores(folder, running);
    const configuration = (named: Record<string, string>) => readConfiguration({ PARLEY_DATA_DIR: folder, ...named });
    expect(await namedStores(configuration({ DATABASE_URL: elsewhere }))).toEqual({
      databaseUrl: elsewhere,
      eventStoreUrl: undefined,
      running: 'others',
    });
    await expect(namedStores(configuration({ EVENTSTORE_URL: otherEvents }))).rejects.toThrow(
      /uses another: set DATABASE_URL too/,
    );
    await expect(openBackedUp(configuration({ DATABASE_URL: elsewhere }))).rejects.toThrow(
      /does not use the stores that are named/,
    );
    expect(await halfFindings(configuration({ DATABASE_URL: elsewhere }))).toMatchObject([
      { what: 'stores', state: 'bad' },
    ]);
    expect(await halfFindings(configuration({ EVENTSTORE_URL: otherEvents }))).toMatchObject([
      { what: 'stores', state: 'bad' },
    ]);
    expect(await halfFindings(configuration({ EVENTSTORE_URL: running.eventStoreUrl }))).toEqual([]);
  });

  it('are not there when nothing runs and nothing is named', async () => {
    await expect(found({})).rejects.toThrow(/^no Parley runs on /);
  });
});
