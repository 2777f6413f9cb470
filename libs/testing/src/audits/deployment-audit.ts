import type { Deployment } from '../deployment';
import { sql } from '../journeys/journeys';
import { auditLedger } from './money-audit';

/**
 * Returns everything that is wrong in the sandbox's books of an in-process deployment, in words. Nothing may be in
 * flight.
 */
export async function auditMoney(deployment: Deployment): Promise<string[]> {
  return auditLedger((text) => sql(deployment, text));
}
