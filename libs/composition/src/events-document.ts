import { feedChannel } from '@app/feed';
import { asyncApiDocument } from '@app/journal';
import type { JsonObject } from '@app/kernel';
import { Profile, Run } from '@app/runs';
import type { Configuration } from '@app/runtime';
import { FinancialOperation } from '@app/wallets';

/** The AsyncAPI document of an api process of this configuration, the one that it serves. */
export function asyncApiOf({ publicUrl }: Configuration): JsonObject {
  // What the events name: a run's request, use and failure, a profile's output schema, and what became of money.
  return asyncApiDocument({ baseUrl: publicUrl, shapes: [Run, Profile, FinancialOperation], channels: [feedChannel] });
}
