export { ArtifactReader } from './artifact-reader';
export { ArtifactsModule, artifactsReadModel } from './artifacts.module';
