export { ArtifactReader } from './artifact-reader';
export { UnfitArtifactStore } from './artifact-store';
export { ArtifactsModule, artifactsReadModel } from './artifacts.module';
export { artifactsGroup } from './artifacts.contract';
export { openBucketFiles } from './open-bucket';
