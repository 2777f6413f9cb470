export { RulesModel } from './rules-model';
