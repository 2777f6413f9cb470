import { Global, Module } from '@nestjs/common';
import { Sampler, SourcesModule } from '@app/automations';
import { PinnedPrices } from '@app/sandbox';

/** A price that is pinned in the sandbox is sampled for the rules that look at it. */
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
