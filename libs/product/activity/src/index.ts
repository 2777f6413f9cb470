export { activityGroup } from './activity.contract';
export { ActivityModule, activityReadModel } from './activity.module';
