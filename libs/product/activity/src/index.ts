export { ActivityModule, activityReadModel } from './activity.module';
