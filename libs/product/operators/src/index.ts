export { OperatorsModule, OperatorWorkModule } from './operators.module';
