export { ReferenceModule } from './reference.module';
