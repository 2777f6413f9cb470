import { accessWarning, EventStore, checkStreamAccess } from '@app/event-store';
import { findingsOf, type Finding } from './doctor-finding';
import { reasonIn } from '../terminal/outcome';

const { ok, warning } = findingsOf('stream access');

/** Whether the event store lets anyone but the service's own account and its administrators harm streams. Changes nothing. */
export async function accessFindings(url: string): Promise<readonly Finding[]> {
  const store = EventStore.connect(url);
  try {
    const access = await checkStreamAccess(url, store.client);
    const trouble = accessWarning(access);
    if (trouble !== null) return [warning(trouble)];
    return access.kind === 'own'
      ? []
      : [ok('by the default list nobody else writes, deletes or truncates; lists of single streams are in the log')];
  } catch (error) {
    return [warning(`it is not known who may delete streams: ${reasonIn(error)}`)];
  } finally {
    await store.dispose();
  }
}
