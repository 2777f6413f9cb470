export { ModelFaults, NoFaults, type ModelFault } from './model-faults';
export { RulesModel } from './rules-model';
