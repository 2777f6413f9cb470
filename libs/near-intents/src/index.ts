export { nearIntents, NearIntentsModule } from './near-intents.module';
