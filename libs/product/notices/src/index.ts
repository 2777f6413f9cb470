export {
  noticeBody,
  noticeTypes,
  payloadKinds,
  type Notice,
  type NoticeData,
  type NoticeType,
  type PayloadKind,
} from './notice';
export { canTell, Notices } from './notices';
export { NoticesModule } from './notices.module';
export { toldCategories } from './subject';
