import { Module, Global } from '@nestjs/common';
import { LocalModels } from '@app/engine';
import { RulesModel } from '@app/rules-model';

/** The models that every deployment has, with any provider. */
@Global()
@Module({
  providers: [
    RulesModel,
    { provide: LocalModels, useFactory: (rules: RulesModel) => new LocalModels([rules]), inject: [RulesModel] },
  ],
  exports: [LocalModels],
})
export class LocalModelsModule {}
