import { feedChannel } from '@app/feed';
import { asyncApiDocument } from '@app/journal';
import type { JsonObject } from '@app/kernel';
import { Profile, Run } from '@app/runs';
import type { Configuration } from '@app/settings';
import { FinancialOperation } from '@app/wallets';

/** The AsyncAPI document that an api process of this configuration serves. */
export function asyncApiOf({ publicUrl }: Pick<Configuration, 'publicUrl'>): JsonObject {
  // Types that events refer to: a run's request, use and failure, a profile's output schema, and the outcome of a financial operation.
  return asyncApiDocument({ baseUrl: publicUrl, shapes: [Run, Profile, FinancialOperation], channels: [feedChannel] });
}
