export { ArtifactRemoval } from './artifact-removal';
export { ArtifactsOfUser, isLost, type OwnedArtifact } from './artifacts-of-user';
export { ArtifactReader } from './reading/artifact-reader';
export { UnfitArtifactStore } from './stores/artifact-store';
export { ArtifactsModule, artifactsReadModel } from './artifacts.module';
export { artifactsGroup } from './artifacts.contract';
export { openBucketFiles } from './stores/open-bucket';
