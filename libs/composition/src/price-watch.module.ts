import { Global, Module } from '@nestjs/common';
import { Sampler, SourcesModule } from '@app/automations';
import { PinnedPrices } from '@app/sandbox';

/** Samples a price that is pinned in the sandbox, for the rules that depend on it. */
@Global()
@Module({
  imports: [SourcesModule],
  providers: [
    {
      provide: PinnedPrices,
      useFactory: (sampler: Sampler): PinnedPrices => ({ priceChanged: (tokenId) => sampler.priceChanged(tokenId) }),
      inject: [Sampler],
    },
  ],
  exports: [PinnedPrices],
})
export class PriceWatchModule {}
