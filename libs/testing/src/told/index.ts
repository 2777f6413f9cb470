export { ToldJournal } from './told-journal';
