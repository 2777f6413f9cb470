import { Injectable } from '@nestjs/common';
import { ModelFailed, type LanguageModel } from './model';
import { RulesModel } from './rules-model';

/** The models that the deployment offers, by name; the first is the default. */
@Injectable()
export class Models {
  private readonly offered: readonly LanguageModel[];

  constructor(rules: RulesModel) {
    this.offered = [rules];
  }

  get names(): readonly string[] {
    return this.offered.map(({ name }) => name);
  }

  /** @throws ModelFailed for a model that was offered when the run was admitted and is not any more */
  find(name: string): LanguageModel {
    const model = this.offered.find((offered) => offered.name === name);
    if (model === undefined) throw new ModelFailed(`the deployment no longer offers ${name}`);
    return model;
  }
}
