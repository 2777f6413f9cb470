import { Module } from '@nestjs/common';
import { WalletsModule } from '@app/wallets';
import { AskSource } from './ask-source';
import { Sampler } from './sampler';
import { Samples } from './samples';
import { SourceSamples } from './source-samples';

/** The sources that rules read, sampled and retained. */
@Module({
  imports: [WalletsModule],
  providers: [AskSource, Sampler, Samples, SourceSamples],
  exports: [Sampler, Samples],
})
export class SourcesModule {}
