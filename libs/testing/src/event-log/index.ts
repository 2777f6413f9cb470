export { EventLog, readAllEvents } from './event-log';
