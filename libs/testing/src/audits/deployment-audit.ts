import type { Deployment } from '../deployment';
import { sql } from '../journeys/journeys';
import { auditLedger } from './money-audit';

/** Everything in the sandbox's books of an in-process deployment that must not be, in words, once nothing is under way. */
export async function auditMoney(deployment: Deployment): Promise<string[]> {
  return auditLedger((text) => sql(deployment, text));
}
